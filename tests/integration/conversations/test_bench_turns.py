"""The turn benchmark reports what it says it does, and leaves nothing behind."""

from __future__ import annotations

import pytest

from config import bench_model, relay_bench, turn_bench
from config.turn_meter import Spent
from conversations.models import Turn
from tenants.models import Tenant
from tenants.scoping import no_scope, tenant_scope


@pytest.mark.django_db(transaction=True)
def test_it_reports_every_figure_of_its_interface_and_removes_its_tenant(rival):
    steps: list[tuple[str, int, int]] = []
    with no_scope():
        before = set(Tenant.objects.values_list("id", flat=True))
        figures = turn_bench.run(turn_bench.Plan(turns=6, tokens=20), lambda *step: steps.append(step))
        assert set(Tenant.objects.values_list("id", flat=True)) == before
    assert steps == [("turns", number, 6) for number in range(1, 7)]
    assert figures["own_ms"]["p95"] >= figures["own_ms"]["p50"] > 0
    assert figures["own_outside_language_ms"]["p50"] < figures["own_ms"]["p50"]
    assert {"accept", "load", "retrieve", "answer", "remember"} <= set(figures["stages_ms"])
    assert [row["turn"] for row in figures["by_turn"]] == [5]
    assert figures["by_turn"][0]["prompt_tokens"] > 0 and 1 <= figures["by_turn"][0]["model_calls"] <= 2
    assert 5 < figures["round_trips"] < 40
    assert figures["turns_per_s"] > 0 and min(figures["floor"].values()) > 0
    with tenant_scope(rival.id):
        assert not Turn.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_it_answers_every_turn_of_conversations_side_by_side(tenant):
    with no_scope():
        figures = turn_bench.run(turn_bench.Plan(concurrency=2, turns=2, tokens=20), lambda *step: None)
    assert figures["concurrency"] == 2 and figures["own_cpu_ms"] is None
    assert figures["own_ms"]["p50"] > 0


def test_it_counts_what_one_process_passes_on(stack):
    with no_scope():
        assert relay_bench.relayed_per_second(4) > 0


def test_its_own_time_leaves_out_embeddings_and_the_bare_client_and_no_more():
    spent = Spent(embedding=10.0, language=5.0, model=30.0)
    turn = turn_bench.Measured(1, None, 100.0, 5.0, 50.0, spent, bare=8.0)  # type: ignore[arg-type]
    assert (turn.own, turn.own_outside_language) == (82.0, 77.0)


def test_its_model_says_as_many_tokens_as_it_was_told_to():
    script = bench_model.Script(tokens=30)
    assert len(script.pieces) == 31 and len(script.text.replace(" [1].", "").split()) == 30
