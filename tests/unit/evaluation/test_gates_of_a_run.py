"""Floors and ceilings, stratum by stratum."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conversations.evaluation.gates import BadGates, Gates, failures, gates_from
from conversations.evaluation.metrics import figures

SHIPPED = Path(__file__).resolve().parents[3] / "conversations" / "evaluation"

TEXT = """
[every]
"recall@5" = { min = 0.9 }
contamination = { max = 0.0 }

[strata.long_range]
"recall@5" = { min = 0.8 }

[overall]
invented = { max = 0.01 }
"""


def gates(folder: Path, text: str = TEXT) -> Gates:
    path = folder / "gates.toml"
    path.write_text(text)
    return gates_from(path)


def measured(recall: float = 0.95, contamination: float = 0.0) -> dict[str, Any]:
    return {"recall@5": recall, "contamination": contamination, "invented": 0.0}


def report(**strata: dict[str, Any]) -> dict[str, Any]:
    return {"liveness": {"overall": measured(), "strata": {"long_range": measured(), **strata}}}


def test_a_run_that_holds_everything_passes(tmp_path: Path) -> None:
    assert failures(gates(tmp_path), report(first_turn=measured())) == []


def test_a_stratum_fails_though_the_mean_holds(tmp_path: Path) -> None:
    broken = failures(gates(tmp_path), report(interleaved=measured(recall=0.89)))

    assert [(f.stratum, f.figure, f.wanted, f.value) for f in broken] == [
        ("interleaved", "recall@5", "at least 0.9", 0.89)
    ]


def test_a_stratum_may_have_a_bound_of_its_own(tmp_path: Path) -> None:
    assert failures(gates(tmp_path), report(long_range=measured(recall=0.85))) == []
    broken = failures(gates(tmp_path), report(long_range=measured(recall=0.79, contamination=0.1)))
    assert {f.figure for f in broken} == {"recall@5", "contamination"}


def test_a_bound_holds_when_it_is_met_exactly(tmp_path: Path) -> None:
    assert failures(gates(tmp_path), report(first_turn=measured(recall=0.9))) == []


def test_a_stratum_with_gates_that_was_not_run_does_not_hold(tmp_path: Path) -> None:
    strategies = {"liveness": {"overall": measured(), "strata": {"first_turn": measured()}}}

    assert {f.stratum for f in failures(gates(tmp_path), strategies)} == {"long_range"}


def test_a_strategy_with_gates_that_was_not_run_does_not_hold(tmp_path: Path) -> None:
    assert [f.wanted for f in failures(gates(tmp_path), {"window2": {}})] == ["the strategy is run"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("not toml", "not usable"),
        ("[all]\n", "what is all"),
        ("[every]\nrecall = 0.9\n", "needs min, max"),
        ("[every]\nrecall = { floor = 0.9 }\n", "needs min, max"),
        ("every = 3\n", "table of figures"),
    ],
)
def test_it_refuses_what_is_no_gate(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(BadGates, match=reason):
        gates(tmp_path, text)


@pytest.mark.parametrize("name", ["gates.toml", "aims.toml", "gates_external.toml"])
def test_the_gates_that_ship_name_figures_that_exist(name: str) -> None:
    shipped = gates_from(SHIPPED / name)
    named = {
        gate.figure for table in (shipped.every, shipped.overall, *shipped.strata.values()) for gate in table
    }

    assert named and named <= set(figures([]))
