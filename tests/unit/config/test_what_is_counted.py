from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client
from prometheus_client import CollectorRegistry

from config import metrics
from config.metrics_backlog import Figures, families
from conversations.adapters.model_calls import call_observed
from conversations.errors import TurnBroken
from conversations.services.observing import turn_observe
from kernel.clock import now
from kernel.observed import Counted, Held, Timed, Waiting, count, hold, observe_with, took

TRACE = {
    "ruling": {"verdict": "contaminated", "action": "repaired"},
    "stages": [{"name": "retrieve", "at": 0.0, "ms": 120.0}, {"name": "answer", "at": 120.0, "ms": 900.0}],
}


@pytest.fixture
def registry() -> Iterator[CollectorRegistry]:
    watching = metrics.Metrics(CollectorRegistry())
    observe_with(watching)
    yield watching.registry
    observe_with(None)


def _value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    return registry.get_sample_value(f"antecedent_{name}", labels)


def test_nobody_watching_costs_nothing_and_fails_nowhere() -> None:
    observe_with(None)
    count(Counted.CACHE, result="hit")
    hold(Held.SOCKETS_OPEN, 1)
    took(Timed.TURN_STAGE, 1.0, stage="load")


def test_a_turn_is_counted_with_its_verdict_and_its_stages(registry: CollectorRegistry) -> None:
    turn_observe({"state": "completed", "kind": "follow_up", "verdict": "contaminated"}, TRACE)
    assert _value(registry, "turns_total", kind="follow_up", outcome="completed") == 1
    assert _value(registry, "verdicts_total", verdict="contaminated", action="repaired") == 1
    assert _value(registry, "turn_stage_seconds_sum", stage="retrieve") == pytest.approx(0.12)
    assert _value(registry, "turn_stage_seconds_bucket", stage="answer", le="1.0") == 1
    assert _value(registry, "turn_stage_seconds_bucket", stage="answer", le="0.5") == 0


def test_a_turn_that_failed_early_has_no_verdict(registry: CollectorRegistry) -> None:
    turn_observe({"state": "failed", "error": {"code": "turn_broken"}}, None)
    assert _value(registry, "turns_total", kind="undecided", outcome="failed") == 1
    assert _value(registry, "verdicts_total", verdict="clean", action="accepted") is None


def test_a_model_call_is_counted_by_how_it_ended(registry: CollectorRegistry) -> None:
    with call_observed("answer"):
        pass
    with pytest.raises(TurnBroken), call_observed("rewrite"):
        raise TurnBroken
    with pytest.raises(GeneratorExit), call_observed("answer"):
        raise GeneratorExit
    assert _value(registry, "model_calls_total", purpose="answer", outcome="ok") == 1
    assert _value(registry, "model_calls_total", purpose="rewrite", outcome="turn_broken") == 1
    assert _value(registry, "model_calls_total", purpose="answer", outcome="stopped") == 1


def test_open_sockets_go_up_and_down(registry: CollectorRegistry) -> None:
    for change in (1, 1, -1):
        hold(Held.SOCKETS_OPEN, change)
    assert _value(registry, "sockets_open") == 1


def test_every_count_has_a_metric(registry: CollectorRegistry) -> None:
    assert set(metrics.COUNTERS) == set(Counted)
    assert set(metrics.TIMES) == set(Timed) and set(metrics.HELD) == set(Held)


def _tenant(name: str, depth: int, seconds: int = 0) -> Figures:
    waiting = Waiting(depth, now() - timedelta(seconds=seconds) if depth else None)
    return Figures(name, {"turns": Waiting(0, None), "documents": waiting}, {"queued": depth})


def test_tenants_beyond_the_twenty_that_wait_most_are_one() -> None:
    many = [_tenant(f"library-{n:02}", n, seconds=10 * n) for n in range(30)]
    up, depth, age, documents, findings = families(many, 60, is_known=True)
    waiting = {s.labels["tenant"]: s.value for s in depth.samples if s.labels["queue"] == "documents"}
    assert len(waiting) == 21 and waiting["library-29"] == 29 and "library-09" not in waiting
    assert waiting["other"] == sum(range(10))
    oldest = {s.labels["tenant"]: s.value for s in age.samples if s.labels["queue"] == "documents"}
    assert oldest["other"] == pytest.approx(90, abs=30) and oldest["library-29"] == pytest.approx(290, abs=30)
    assert [s.value for s in documents.samples] == [sum(range(30))]
    assert [s.value for s in findings.samples] == [60] and [s.value for s in up.samples] == [1]


def test_a_database_that_does_not_answer_is_no_queue_of_length_zero() -> None:
    up, *others = families((), is_known=False)
    assert [s.value for s in up.samples] == [0]
    assert not [sample for family in others for sample in family.samples]


def test_the_page_is_only_there_with_a_token(client: Client, settings: object) -> None:
    settings.METRICS_TOKEN = ""  # type: ignore[attr-defined]
    metrics.install_web()
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer ").status_code == 404
