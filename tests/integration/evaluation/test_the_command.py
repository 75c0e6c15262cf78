"""`manage.py evaluate followups` on an external set."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError

from config import evaluating
from conversations.evaluation.running import Run
from kernel.errors import Invalid
from retrieval import services as documents
from tenants.models import Tenant
from tests.integration.evaluation.conftest import ITEMS, item

Evaluated = Callable[..., dict[str, Any]]
FIGURES = {
    "n",
    "recall@5",
    "recall@10",
    "ndcg@5",
    "contamination",
    "invented",
    "required",
    "rewritten",
    "model_calls",
    "ci95",
}


def test_it_reports_every_figure_by_stratum(evaluated: Evaluated) -> None:
    told = evaluated()

    assert set(told) >= {"set", "strategies", "gates"}
    assert told["set"] == "items"
    liveness = told["strategies"]["liveness"]
    assert list(liveness["strata"]) == ["first_turn", "near_followup", "post_pivot_standalone"]
    for measured in (liveness["overall"], *liveness["strata"].values()):
        assert set(measured) >= FIGURES
        assert len(measured["ci95"]) == 2
    assert liveness["overall"]["n"] == len(ITEMS)
    assert liveness["overall"]["recall@5"] == 1.0
    assert liveness["overall"]["model_calls"] == 0
    assert liveness["strata"]["near_followup"]["required"] == 1.0
    assert liveness["strata"]["post_pivot_standalone"]["contamination"] == 0.0
    assert told["gates"] == {"passed": None, "failures": []}


def test_it_compares_strategies(evaluated: Evaluated, capsys: pytest.CaptureFixture[str]) -> None:
    told = evaluated(strategy=["all"])

    names = ["typed", "window2", "window4", "window8", "segment", "liveness", "hybrid"]
    assert list(told["strategies"]) == names
    assert told["strategies"]["typed"]["strata"]["near_followup"]["rewritten"] == 0.0
    printed = capsys.readouterr().out
    assert "as published" in printed
    assert all(name in printed for name in names)


def test_it_writes_a_line_an_item(evaluated: Evaluated, tmp_path: Path) -> None:
    evaluated(dump=tmp_path / "dump.jsonl")

    dumped = [json.loads(line) for line in (tmp_path / "dump.jsonl").read_text().splitlines()]
    assert [line["id"] for line in dumped] == ["one", "two", "three"]
    follow_up = dumped[1]
    assert follow_up["retrieved"][0] == "rto-dub"
    assert "Dublin" in follow_up["query"]
    assert follow_up["scope"]["exchanges"][0]["message"] == "What is the RPO in Dublin?"
    assert follow_up["verdict"] == "clean"


def test_labels_change_nothing_but_the_scores(evaluated: Evaluated, tmp_path: Path) -> None:
    other = {
        "gold": ["shoes"],
        "reference_rewrite": "Shoes?",
        "required_in_rewrite": ["shoes"],
        "forbidden_in_rewrite": ["RTO", "RPO", "cost"],
        "meta": {"context_dependent": None, "tenant": "nobody"},
    }
    seen = ("id", "query", "searched", "retrieved", "scope", "kind")

    def told(items: list[dict[str, Any]], name: str) -> tuple[Any, float]:
        report = evaluated(items, dump=tmp_path / name)
        dumped = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        return [{key: line[key] for key in seen} for line in dumped], report["strategies"]["liveness"][
            "overall"
        ]["recall@5"]

    honest, right = told(ITEMS, "honest")
    blind, wrong = told([line | other for line in ITEMS], "blind")
    assert blind == honest
    assert right == 1.0 > wrong


def test_nothing_is_left_behind(evaluated: Evaluated) -> None:
    groups = Group.objects.count()

    evaluated()

    assert not Tenant.objects.filter(slug__startswith="evaluation-").exists()
    assert Group.objects.count() == groups


@pytest.mark.parametrize("fault", [KeyboardInterrupt, SystemExit, RuntimeError])
def test_nothing_is_left_behind_when_it_is_ended_early(
    evaluated: Evaluated, monkeypatch: pytest.MonkeyPatch, fault: type[BaseException]
) -> None:
    held: list[bool] = []

    async def ended(self: Run, question: Any) -> Any:
        held.append(True)
        raise fault

    monkeypatch.setattr(Run, "outcome", ended)
    with pytest.raises(fault):
        evaluated()

    assert held
    assert not Tenant.objects.filter(slug__startswith="evaluation-").exists()


def test_nothing_is_left_behind_when_it_is_told_to_end(
    evaluated: Evaluated, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def told(self: Run, question: Any) -> Any:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(5)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(Run, "outcome", told)
    with pytest.raises(SystemExit):
        evaluated()

    assert not Tenant.objects.filter(slug__startswith="evaluation-").exists()
    assert signal.getsignal(signal.SIGTERM) is before


def test_nothing_is_left_behind_when_loading_is_ended_early(
    evaluated: Evaluated, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = documents.document_index, []

    def indexed(**given: Any) -> Any:
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(**given)

    monkeypatch.setattr(documents, "document_index", indexed)
    with pytest.raises(KeyboardInterrupt):
        evaluated()

    assert not Tenant.objects.filter(slug__startswith="evaluation-").exists()


def test_it_returns_1_and_says_which_gate_broke(
    evaluated: Evaluated, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gates = tmp_path / "gates.toml"
    gates.write_text('[every]\n"recall@5" = { min = 1.0 }\n')
    hard = item("four", "long_range", "What does a key cost?", "nowhere")

    with pytest.raises(SystemExit) as ended:
        evaluated([*ITEMS, hard], gates=gates)

    assert ended.value.code == 1
    told = json.loads((tmp_path / "out.json").read_text())
    assert told["gates"]["passed"] is False
    assert [(f["stratum"], f["figure"]) for f in told["gates"]["failures"]] == [("long_range", "recall@5")]
    assert "Gates that do not hold: 1" in capsys.readouterr().out


def test_it_says_when_gates_hold(evaluated: Evaluated, tmp_path: Path) -> None:
    gates = tmp_path / "gates.toml"
    gates.write_text('[every]\n"recall@5" = { min = 0.5 }\n')

    assert evaluated(gates=gates)["gates"] == {"passed": True, "failures": []}


def test_a_second_run_embeds_nothing_anew(evaluated: Evaluated, monkeypatch: pytest.MonkeyPatch) -> None:
    first = evaluated()

    def refuse(self: Any, texts: Any) -> Any:
        raise AssertionError(f"embedded again: {texts}")

    monkeypatch.setattr("retrieval.adapters.embeddings.local_minilm.LocalMiniLM._embed", refuse)
    second = evaluated()

    for told in (first, second):
        told["strategies"]["liveness"].pop("seconds")
    assert second == first


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": ["window3"]}, "no strategy called window3"),
        ({"gates": Path("nowhere.toml")}, "nowhere.toml"),
    ],
)
def test_it_refuses_what_it_does_not_know(
    evaluated: Evaluated, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        evaluated(**options)


def test_items_of_nobody_need_their_passages(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(json.dumps(ITEMS[0]))

    with pytest.raises(Invalid, match="--corpus"):
        evaluating.parts(path, None)
