"""What a run is told as: the JSON of the interface, one line an item, and tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rich.table import Table

from conversations.evaluation.gates import OVERALL, Failure
from conversations.evaluation.metrics import Score, by_stratum, figures
from conversations.evaluation.running import Outcome
from kernel.json import JsonObject

_COLUMNS = (
    "n",
    "recall@5",
    "recall@10",
    "ndcg@5",
    "contamination",
    "invented",
    "required",
    "rewritten",
    "model_calls",
)
_COMPARED = ("recall@5", "contamination", "required", "invented", "model_calls")
# As published for model rewriters with the same scopes, on other items: to read beside, not to compare digit by digit.
LITERATURE: Mapping[str, Mapping[str, str]] = {
    "window2": {OVERALL: "0.71", "post_pivot_followup": "0.31"},
    "window8": {OVERALL: "0.86", "post_pivot_followup": "0.34", "long_range": "0.79"},
    "segment": {OVERALL: "0.88", "post_pivot_followup": "0.79"},
    "liveness": {OVERALL: "0.87", "post_pivot_followup": "0.83", "long_range": "0.74"},
}


@dataclass(slots=True)
class Results:
    """Outcomes with their scores, by strategy."""

    name: str
    engine: str = "offline"
    guarded: bool = True
    scored: dict[str, list[tuple[Outcome, Score]]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, strategy: str, scored: Iterable[tuple[Outcome, Score]], seconds: float = 0.0) -> None:
        self.scored.setdefault(strategy, []).extend(scored)
        self.seconds[strategy] = self.seconds.get(strategy, 0.0) + seconds

    def strategies(self) -> dict[str, JsonObject]:
        return {name: self._strategy(name) for name in self.scored}

    def _strategy(self, name: str) -> JsonObject:
        scored = self.scored[name]
        strata = by_stratum((outcome.question.stratum, item) for outcome, item in scored)
        return {
            OVERALL: figures([item for _, item in scored]),
            "strata": {stratum: figures(items) for stratum, items in strata.items()},
            "seconds": round(self.seconds.get(name, 0.0), 1),
        }

    def as_json(self, broken: Sequence[Failure] | None) -> JsonObject:
        """`broken` is None when no gates were asked for; "passed" is null then."""
        gates = {
            "passed": None if broken is None else not broken,
            "failures": [failure.to_json() for failure in broken or ()],
        }
        about = {"set": self.name, "engine": self.engine, "guarded": self.guarded}
        return {**about, "strategies": self.strategies(), "gates": gates}

    def lines(self) -> Iterable[JsonObject]:
        """One object an item and strategy: the rewrite, the verdict, the scope shown, what came back, the score."""
        for strategy, scored in self.scored.items():
            for outcome, item in scored:
                yield _line(strategy, outcome, item)


def _line(strategy: str, outcome: Outcome, item: Score) -> JsonObject:
    ruling = outcome.trace.get("ruling", {})
    return {
        "id": outcome.question.id,
        "stratum": outcome.question.stratum,
        "strategy": strategy,
        "message": outcome.question.follow_up,
        "query": outcome.query,
        "display": outcome.display,
        "searched": list(outcome.searched),
        "kind": outcome.kind,
        "rewritten": outcome.rewritten,
        "verdict": outcome.verdict,
        "action": ruling.get("action"),
        "origin": ruling.get("origin"),
        "offending": ruling.get("offending", []),
        "scope": outcome.trace.get("scope"),
        "evidence": outcome.trace.get("classification", {}).get("evidence", []),
        "retrieved": [passage.name for passage in outcome.found],
        "model_calls": outcome.model_calls,
        "recall@5": item.recall5,
        "recall@10": item.recall10,
        "contaminants": list(item.contaminants),
        "invented": list(item.invented),
        "required": item.required,
    }


def strategy_table(name: str, report: JsonObject) -> Table:
    """All figures of one strategy, a row a stratum, overall last."""
    table = Table(title=f"{name} ({report['seconds']:.0f} s)", title_justify="left")
    table.add_column("stratum", no_wrap=True)
    for column in (*_COLUMNS, "95 % of recall@5"):
        table.add_column(column, justify="right")
    for stratum, measured in _rows(report):
        low, high = measured["ci95"]
        cells = [_shown(measured[column]) for column in _COLUMNS]
        table.add_row(stratum, *cells, f"{low:.2f}–{high:.2f}", end_section=_is_last(stratum, report))
    return table


def comparison_tables(strategies: Mapping[str, JsonObject]) -> list[Table]:
    """One table a figure: a row a stratum, a column a strategy."""
    return [_compared(column, strategies) for column in _COMPARED]


def literature_table() -> Table:
    """What was published of these strategies."""
    table = Table(
        title="recall@5 as published, with a model as rewriter, on other items", title_justify="left"
    )
    table.add_column("stratum")
    for name in LITERATURE:
        table.add_column(name, justify="right")
    for stratum in ("post_pivot_followup", "long_range", OVERALL):
        table.add_row(stratum, *(figures.get(stratum, "") for figures in LITERATURE.values()))
    return table


def failure_table(broken: Sequence[Failure]) -> Table:
    table = Table(title=f"Gates that do not hold: {len(broken)}", title_justify="left", style="red")
    for column in ("strategy", "stratum", "figure", "wanted", "measured"):
        table.add_column(column)
    for failure in broken:
        value = "nothing" if failure.value is None else f"{failure.value:.4f}"
        table.add_row(failure.strategy, failure.stratum, failure.figure, failure.wanted, value)
    return table


def _compared(column: str, strategies: Mapping[str, JsonObject]) -> Table:
    table = Table(title=column, title_justify="left")
    table.add_column("stratum", no_wrap=True)
    for name in strategies:
        table.add_column(name, justify="right")
    for stratum, _ in _rows(next(iter(strategies.values()))):
        cells = [_shown(dict(_rows(report))[stratum][column]) for report in strategies.values()]
        table.add_row(stratum, *cells)
    return table


def _rows(report: JsonObject) -> list[tuple[str, JsonObject]]:
    return [*report["strata"].items(), (OVERALL, report[OVERALL])]


def _is_last(stratum: str, report: JsonObject) -> bool:
    last: str = next(reversed(report["strata"]), "")
    return stratum == last


def _shown(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"
