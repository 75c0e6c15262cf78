"""Bars of the stages of a turn over its time, and of the tokens over its sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kernel.json import JsonObject

SECTIONS = ("system", "resume", "correction", "summary", "ledger", "recent", "passages", "message")
SLIVER = 0.6  # percent: a stage that took no time to speak of is still seen


@dataclass(frozen=True, slots=True)
class Bar:
    """One stage: milliseconds, and its place as a percentage of the whole."""

    name: str
    at_ms: float
    ms: float
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class Waterfall:
    bars: tuple[Bar, ...]
    total_ms: float

    @property
    def slowest(self) -> Bar | None:
        return max(self.bars, key=lambda bar: bar.ms, default=None)


def waterfall(stages: Sequence[JsonObject]) -> Waterfall:
    """From the trace's stages: `at` is milliseconds from the first, `ms` how long it took."""
    total = max((float(stage["at"]) + float(stage["ms"]) for stage in stages), default=0.0)
    scale = 100 / total if total > 0 else 0.0
    bars = tuple(_bar(str(stage["name"]), float(stage["at"]), float(stage["ms"]), scale) for stage in stages)
    return Waterfall(bars, total)


def _bar(name: str, at: float, ms: float, scale: float) -> Bar:
    left = min(at * scale, 100 - SLIVER)
    return Bar(name, at, ms, round(left, 2), round(max(min(ms * scale, 100 - left), SLIVER), 2))


@dataclass(frozen=True, slots=True)
class Share:
    """A section of the prompt: tokens, and their percentage of the whole."""

    name: str
    tokens: int
    width: float


def token_shares(tokens: Mapping[str, int]) -> tuple[Share, ...]:
    """Sections of the answer's prompt in the order they stand in it; empty ones are left out."""
    total = sum(tokens.values())
    known = [name for name in SECTIONS if name in tokens]
    names = [*known, *sorted(tokens.keys() - set(known))]  # JSON in the database keeps no order
    return tuple(
        Share(name, tokens[name], round(100 * tokens[name] / total, 2)) for name in names if tokens[name]
    )
