"""How evaluations are shown and asked for: marks of states, rows of figures with their intervals, fields of the forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from admin_ui.components.marks import Mark
from admin_ui.selectors.contamination import FEW
from conversations.evaluation.gates import OVERALL
from conversations.evaluation.jobs import JobState
from conversations.evaluation.records import EvaluationRun
from conversations.evaluation.strategies import AS_PUBLISHED
from conversations.services.evaluation_gates import FIGURES
from conversations.services.evaluation_runs import STRATEGIES
from kernel.errors import Invalid
from kernel.json import JsonObject

STATES: dict[str, Mark] = {
    JobState.QUEUED: Mark("waiting", "stale", "○", "A worker takes it up in a moment."),
    JobState.RUNNING: Mark("running", "busy", "◑", "Items are run one after the other."),
    JobState.DONE: Mark("done", "plain", "●", "Every item was run."),
    JobState.CANCELLED: Mark("cancelled", "none", "–", "It was ended before it was done."),
    JobState.FAILED: Mark("failed", "contaminated", "✕", "It could not be run."),
}
PASSED = Mark("gates hold", "clean", "✓", "Every gate held.")
MISSED = Mark("gates missed", "contaminated", "✕", "At least one gate did not hold.")
CHANGES: dict[str, Mark] = {
    "lost": Mark("lost", "contaminated", "✕", "The passage came back before and does not now."),
    "gained": Mark("found now", "clean", "✓", "The passage did not come back before and does now."),
    "contaminated": Mark("contaminated now", "contaminated", "✕", "A forbidden word is in the search now."),
    "cleaned": Mark("clean now", "clean", "✓", "A forbidden word is gone from the search."),
    "rewrite": Mark("another rewrite", "offered", "≠", "The searched text differs."),
    "verdict": Mark("another verdict", "offered", "≠", "The guard says something else."),
}
WORDS: dict[str, str] = {
    AS_PUBLISHED: "as the policy says",
    "typed": "as typed, no history",
    "window2": "window of 2",
    "window4": "window of 4",
    "window8": "window of 8",
    "segment": "segment",
    "liveness": "liveness",
    "hybrid": "hybrid",
}
SHARES = ("contamination", "invented", "required", "rewritten")
BOUNDS = ("min", "max")


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One stratum of one strategy. `low` and `high` are the 95 % interval of recall@5."""

    stratum: str
    n: int
    recall: float
    low: float
    high: float
    shares: tuple[tuple[str, float], ...]
    model_calls: float
    broken: tuple[str, ...] = ()

    @property
    def is_few(self) -> bool:
        """So few items that an interval would say nothing."""
        return self.n < FEW

    @property
    def overall(self) -> bool:
        return self.stratum == OVERALL


@dataclass(frozen=True, slots=True)
class StrategyTable:
    name: str
    words: str
    rows: tuple[FigureRow, ...]
    failed: int


def state_marks(run: EvaluationRun) -> list[Mark]:
    gates = [] if run.passed is None else [PASSED if run.passed else MISSED]
    return [STATES[run.state], *gates]


def tables(run: EvaluationRun) -> list[StrategyTable]:
    """A table a strategy, a row a stratum, overall last."""
    told = run.report.get("strategies", {})
    return [_table(name, told[name], run.failures) for name in run.strategies if name in told]


def _table(name: str, report: JsonObject, failures: Sequence[JsonObject]) -> StrategyTable:
    measured = [*sorted(report["strata"].items()), (OVERALL, report[OVERALL])]
    broken = [(one["stratum"], one["figure"]) for one in failures if one["strategy"] == name]
    rows = tuple(_row(stratum, figures, broken) for stratum, figures in measured)
    return StrategyTable(name, WORDS.get(name, name), rows, report.get("failed", 0))


def _row(stratum: str, figures: JsonObject, broken: Sequence[tuple[str, str]]) -> FigureRow:
    return FigureRow(
        stratum=stratum,
        n=figures["n"],
        recall=figures["recall@5"],
        low=figures["ci95"][0],
        high=figures["ci95"][1],
        shares=tuple((name, figures[name]) for name in SHARES),
        model_calls=figures["model_calls"],
        broken=tuple(figure for of, figure in broken if of == stratum),
    )


# Forms


def item_line(posted: QueryDict, before: JsonObject | None = None) -> JsonObject:
    """The object of the file format that the form of an item says; `before` keeps what the form does not show."""
    kept = {name: value for name, value in (before or {}).items() if name in ("reference_rewrite", "meta")}
    return kept | {
        "id": posted.get("key", "").strip(),
        "stratum": posted.get("stratum", "").strip(),
        "prefix": list(_messages(posted.get("prefix", ""))),
        "follow_up": posted.get("follow_up", "").strip(),
        "gold": _lines(posted.get("gold", "")),
        "required_in_rewrite": _lines(posted.get("required", "")),
        "forbidden_in_rewrite": _lines(posted.get("forbidden", "")),
    }


def item_fields(line: JsonObject) -> dict[str, str]:
    """What stands in the form of an item."""
    said = [f"{_SPEAKERS[one['role']]}: {one['content']}" for one in line.get("prefix", [])]
    return {
        "key": line.get("id", ""),
        "stratum": line.get("stratum", ""),
        "prefix": "\n".join(said),
        "follow_up": line.get("follow_up", ""),
        "gold": "\n".join(" ".join(one.split()) for one in line.get("gold", [])),
        "required": "\n".join(line.get("required_in_rewrite", [])),
        "forbidden": "\n".join(line.get("forbidden_in_rewrite", [])),
    }


_SPEAKERS = {"user": "User", "assistant": "Assistant"}


def _messages(text: str) -> Iterator[JsonObject]:
    """Messages of lines that begin with who speaks; other lines go on with the message before."""
    role, said = "user", list[str]()
    for line in text.replace("\r\n", "\n").split("\n"):
        begins = next((name for name, word in _SPEAKERS.items() if line.startswith(f"{word}:")), "")
        if begins:
            yield from _message(role, said)
            role, said = begins, [line.partition(":")[2].strip()]
        else:
            said.append(line)
    yield from _message(role, said)


def _message(role: str, said: Sequence[str]) -> Iterator[JsonObject]:
    if content := "\n".join(said).strip():
        yield {"role": role, "content": content}


def _lines(text: str) -> list[str]:
    return [one.strip() for one in text.replace("\r\n", "\n").split("\n") if one.strip()]


def gate_rows(values: JsonObject, strata: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of the form of gates: every stratum, overall, and each stratum that has or could have its own."""
    own = values.get("strata", {})
    named = [
        ("every", "Every stratum", values.get("every", {})),
        (OVERALL, "Overall", values.get(OVERALL, {})),
    ]
    named += [(f"strata.{one}", one, own.get(one, {})) for one in sorted({*strata, *own})]
    return [{"key": key, "label": label, "cells": _cells(key, table)} for key, label, table in named]


def _cells(key: str, table: Mapping[str, Mapping[str, float]]) -> list[dict[str, Any]]:
    return [
        {
            "figure": figure,
            "bounds": [(f"{key}|{figure}|{one}", one, table.get(figure, {}).get(one, "")) for one in BOUNDS],
        }
        for figure in GATED
    ]


GATED = ("recall@5", "contamination", "invented", "required")


def gate_values(posted: QueryDict, before: JsonObject) -> JsonObject:
    """The document of gates that the form says; bounds of figures that the form does not show stay. Raises `Invalid`."""
    values: JsonObject = {
        "strategy": posted.get("strategy", AS_PUBLISHED),
        "every": {},
        "strata": {},
        OVERALL: {},
    }
    for place, figure, kept in _unshown(before):
        _table_at(values, place)[figure] = kept
    for name, text in posted.items():
        place, _, rest = str(name).partition("|")
        figure, _, bound = rest.partition("|")
        if bound in BOUNDS and figure in FIGURES and str(text).strip():
            _table_at(values, place).setdefault(figure, {})[bound] = _number(str(text), figure)
    return values


def _unshown(before: JsonObject) -> Iterator[tuple[str, str, JsonObject]]:
    tables = [("every", before.get("every", {})), (OVERALL, before.get(OVERALL, {}))]
    tables += [(f"strata.{name}", table) for name, table in before.get("strata", {}).items()]
    for place, table in tables:
        yield from ((place, figure, dict(bounds)) for figure, bounds in table.items() if figure not in GATED)


def _table_at(values: JsonObject, place: str) -> JsonObject:
    if place.startswith("strata."):
        found: JsonObject = values["strata"].setdefault(place.removeprefix("strata."), {})
        return found
    if place not in ("every", OVERALL):
        raise Invalid(reason="There is no such place for a gate.")
    table: JsonObject = values[place]
    return table


def _number(text: str, figure: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError as error:
        raise Invalid(reason=f"The bounds of {figure} are numbers from 0 to 1.") from error


def strategies_asked(posted: QueryDict) -> list[str]:
    return [one for one in STRATEGIES if one in posted.getlist("strategies")]
