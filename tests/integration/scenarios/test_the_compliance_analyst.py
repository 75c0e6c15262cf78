"""The compliance analyst's conversation of fifteen turns, held through the real pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tenants.models import Tenant

# Turns that are known not to be ok yet. A turn that becomes ok is taken off; the aim is an empty list.
OPEN_TURNS: set[int] = set()
# The key facts that do not survive as they should yet. The aim is an empty list and a survival of 0.98.
OPEN_FACTS: set[str] = set()
ENOUGH = 0.98


@pytest.mark.takes(15)
def test_it_tells_the_four_deliverables_and_the_metrics(
    played: Callable[[str], dict[str, Any]],
) -> None:
    told = played("compliance_analyst")

    turns = told["turns"]
    assert [turn["n"] for turn in turns] == list(range(1, 16))
    for turn in turns:
        assert {"n", "message", "query", "verdict", "expected", "ok"} <= set(turn)
    assert {turn["n"] for turn in turns if "passages" in turn} == {5, 10, 13, 15}
    assert 0 <= told["fact_survival"] <= 1
    assert told["chunks"]["unique"] > 0
    assert told["chunks"]["unique"] + told["chunks"]["repeated"] == sum(len(t["retrieved"]) for t in turns)
    sections = told["tokens"]["turn_15"]
    assert {"system", "recent", "summary", "ledger", "passages", "message"} <= set(sections)
    assert sections["system"] > 0 and sections["passages"] > 0 and sections["message"] > 0
    _holds_what_is_reached(told)
    assert not Tenant.objects.filter(slug__startswith="evaluation-").exists()


def _holds_what_is_reached(told: dict[str, Any]) -> None:
    assert {turn["n"] for turn in told["turns"] if not turn["ok"]} <= OPEN_TURNS

    for state in told["survival"].values():
        assert state["items"] >= ENOUGH
        assert {fact["name"] for fact in state["facts"] if not fact["ok"]} <= OPEN_FACTS
    if not OPEN_FACTS:
        assert told["fact_survival"] >= ENOUGH

    metrics = told["metrics"]
    assert metrics["model_calls"]["most"] <= 2
    assert metrics["coherence_20"]["worst"] is not None
    recall = metrics["contextualization"]["dependent_recall@5"]
    assert recall["with"] >= recall["without"]
