"""A model that welds the loudest old name on to every rewrite does not get it past the guard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from config import evaluating
from conversations import wiring
from conversations.evaluation.report import Results
from conversations.evaluation.strategies import contenders
from tests.fakes.model_server import ModelServer, model_server

CEILING = 0.02
STRATA = ("near_followup", "post_pivot_followup", "long_range", "interleaved")
EACH = 5


@pytest.fixture
def contaminating(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with model_server("contaminating") as server:
        monkeypatch.setattr(settings, "OPENAI_BASE_URL", server.url)
        wiring.chat_model.cache_clear()
        yield server
    wiring.chat_model.cache_clear()


@pytest.fixture
def sample(transactional_db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> evaluating.Plan:
    """The first items of each stratum in which an old name can be welded on, over one tenant's documents."""
    monkeypatch.setitem(settings.ANTECEDENT, "STATE_DIR", tmp_path)
    part = evaluating.parts(evaluating.SETS / "nimbus.jsonl", None)[0]
    chosen = [
        item
        for stratum in STRATA
        for item in [one for one in part.items if one.question.stratum == stratum and one.labels().forbidden][
            :EACH
        ]
    ]
    return evaluating.Plan(
        "sample", (replace(part, items=tuple(chosen)),), contenders(["window8", "liveness"])
    )


def contamination(results: Results) -> dict[str, float]:
    return {name: report["overall"]["contamination"] for name, report in results.strategies().items()}


def quiet(what: str, done: int, total: int) -> None:
    pass


def test_what_it_welds_on_does_not_reach_retrieval(
    contaminating: ModelServer, sample: evaluating.Plan, record_property: Callable[[str, object], None]
) -> None:
    guarded = evaluating.run(sample, quiet)
    bare = evaluating.run(replace(sample, guarded=False), quiet)

    record_property("contamination with the guard", contamination(guarded))
    record_property("contamination without the guard", contamination(bare))
    assert contaminating.stats.chat > 0
    assert guarded.strategies()["liveness"]["overall"]["model_calls"] <= 2
    assert contamination(bare)["window8"] > 0.3
    assert contamination(guarded)["liveness"] <= CEILING
