"""The shipped follow-up sets, all of them, hold their gates with the offline engine and the default policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from config import environment, evaluating
from conversations.evaluation.gates import failures, gates_from
from conversations.evaluation.strategies import contenders

GATES = Path(evaluating.SETS).parent / "gates.toml"


@pytest.mark.takes(80)
def test_the_shipped_sets_hold_their_gates(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    # Half of the time goes into vectors: those of the last run are kept, by the hash of their text.
    monkeypatch.setitem(settings.ANTECEDENT, "STATE_DIR", environment.STATE_DIR)
    plan = evaluating.Plan("shipped", evaluating.parts(None, None), contenders(["liveness"]))

    results = evaluating.run(plan, lambda what, done, total: None)

    broken = failures(gates_from(GATES), results.strategies())
    assert _told(broken) == []


def _told(broken: list[Any]) -> list[str]:
    return [f"{f.stratum}: {f.figure} is {f.value}, wanted {f.wanted}" for f in broken]
