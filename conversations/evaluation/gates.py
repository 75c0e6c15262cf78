"""The floors and ceilings that a run must hold, stratum by stratum: a mean hides the stratum that broke."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conversations.evaluation.strategies import DEFAULT
from kernel.errors import DomainError
from kernel.json import JsonObject

OVERALL = "overall"
_BOUNDS = {"min", "max"}


class BadGates(DomainError):
    """The gates of {file} are not usable: {reason}"""

    code = "bad_gates"


@dataclass(frozen=True, slots=True)
class Gate:
    """A bound of a figure: `minimum` or `maximum`, or both."""

    figure: str
    minimum: float | None = None
    maximum: float | None = None

    def broken_by(self, value: float) -> str:
        """The bound that does not hold, in words; empty when all do."""
        if self.minimum is not None and value < self.minimum:
            return f"at least {self.minimum:g}"
        if self.maximum is not None and value > self.maximum:
            return f"at most {self.maximum:g}"
        return ""


@dataclass(frozen=True, slots=True)
class Gates:
    """Gates for one strategy: those of every stratum, those of a stratum (instead of the former), the overall ones."""

    strategy: str
    every: tuple[Gate, ...]
    strata: Mapping[str, tuple[Gate, ...]]
    overall: tuple[Gate, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """A gate that did not hold. `value` is None when there was nothing to measure."""

    strategy: str
    stratum: str
    figure: str
    wanted: str
    value: float | None

    def to_json(self) -> JsonObject:
        return {
            "strategy": self.strategy,
            "stratum": self.stratum,
            "figure": self.figure,
            "wanted": self.wanted,
            "value": self.value,
        }


def gates_from(path: Path) -> Gates:
    """Raises `BadGates` for a file that is not TOML or holds anything that is no gate."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadGates(file=path.name, reason=str(error)) from error
    return gates_of(data, file=path.name)


def gates_of(data: JsonObject, *, file: str) -> Gates:
    """The gates of a document in the shape of `gates.toml`. Raises `BadGates`, which names the file."""
    if unknown := set(data) - {"strategy", "every", "strata", OVERALL}:
        raise BadGates(file=file, reason=f"what is {min(unknown)}?")
    strata = data.get("strata", {})
    if not isinstance(strata, dict):
        raise BadGates(file=file, reason="strata is a table of strata")
    return Gates(
        strategy=data.get("strategy", DEFAULT),
        every=_gates(file, data.get("every", {})),
        strata={stratum: _gates(file, table) for stratum, table in strata.items()},
        overall=_gates(file, data.get(OVERALL, {})),
    )


def failures(gates: Gates, strategies: Mapping[str, JsonObject]) -> list[Failure]:
    """What does not hold in the report's strategies. A stratum with gates that is missing does not hold."""
    report = strategies.get(gates.strategy)
    if report is None:
        return [Failure(gates.strategy, "", "", "the strategy is run", None)]
    return [
        failure
        for stratum, gate in _applied(gates, report["strata"])
        for failure in _checked(gates.strategy, stratum, gate, _figures(report, stratum))
    ]


def _gates(file: str, table: Any) -> tuple[Gate, ...]:
    if not isinstance(table, dict):
        raise BadGates(file=file, reason="a stratum is a table of figures")
    return tuple(_gate(file, figure, bounds) for figure, bounds in table.items())


def _gate(file: str, figure: str, bounds: Any) -> Gate:
    if not isinstance(bounds, dict) or not bounds or set(bounds) - _BOUNDS:
        raise BadGates(file=file, reason=f"{figure} needs min, max or both")
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in bounds.values()):
        raise BadGates(file=file, reason=f"the bounds of {figure} are numbers")
    return Gate(figure, bounds.get("min"), bounds.get("max"))


def _applied(gates: Gates, strata: Mapping[str, Any]) -> Iterator[tuple[str, Gate]]:
    for stratum in dict.fromkeys((*strata, *gates.strata)):
        own = {gate.figure: gate for gate in gates.strata.get(stratum, ())}
        general = {gate.figure: gate for gate in gates.every}
        yield from ((stratum, gate) for gate in (general | own).values())
    yield from ((OVERALL, gate) for gate in gates.overall)


def _figures(report: JsonObject, stratum: str) -> JsonObject:
    found: JsonObject = report[OVERALL] if stratum == OVERALL else report["strata"].get(stratum, {})
    return found


def _checked(strategy: str, stratum: str, gate: Gate, measured: JsonObject) -> Iterator[Failure]:
    value = measured.get(gate.figure)
    if value is None:
        yield Failure(strategy, stratum, gate.figure, "measured", None)
    elif wanted := gate.broken_by(value):
        yield Failure(strategy, stratum, gate.figure, wanted, value)
