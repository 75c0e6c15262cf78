"""The pictures of the contamination audit: rates by day with their intervals, and d_live against d_stale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from admin_ui.selectors.contamination import Day
from admin_ui.selectors.distances import FARTHEST, WINDOW, Distances

STEPS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
SETTLED = 30
"""Turns of a day from which on its interval is narrow enough to say how high the picture must be."""
CELL_WIDTH, CELL_HEIGHT, LEFT, TOP = 46, 30, 50, 8


@dataclass(frozen=True, slots=True)
class Bar:
    """A day. Heights are percentages of the picture, `volume` of the busiest day's turns."""

    day: Day
    height: float
    low: float
    high: float
    volume: float

    @property
    def told(self) -> str:
        """What a pointer on it is told."""
        rate, day = self.day.contaminated, short_day(self.day.day)
        if not rate.of:
            return f"{day}: no turn"
        between = f"{in_percent(rate.low)}–{in_percent(rate.high)} %"
        return f"{day}: {rate.n} of {rate.of} contaminated, {in_percent(rate.share)} % ({between})"


@dataclass(frozen=True, slots=True)
class Bars:
    """`top` is the share at the upper edge, from 0 to 1; intervals that go beyond it are cut there."""

    bars: tuple[Bar, ...]
    top: float
    busiest: int


def in_percent(share: float) -> str:
    """A share from 0 to 1 in percent, with one place below ten: 0.0234 → "2.3", 0.5 → "50", 0.0 → "0"."""
    percent = 100 * float(share)
    return f"{percent:.1f}".removesuffix(".0") if percent < 10 else f"{percent:.0f}"


def short_day(day: date) -> str:
    """As in "Mon 3 Nov"."""
    return f"{day:%a %-d %b}"


def bars(days: Sequence[Day]) -> Bars:
    rates = [day.contaminated for day in days]
    highest = max((rate.high if rate.of >= SETTLED else rate.share for rate in rates if rate.of), default=0.0)
    top = next((step for step in STEPS if step >= highest), 1.0)
    busiest = max((rate.of for rate in rates), default=0)
    return Bars(tuple(_bar(day, top, busiest) for day in days), top, busiest)


def _bar(day: Day, top: float, busiest: int) -> Bar:
    rate = day.contaminated
    if not rate.of:
        return Bar(day, 0, 0, 0, 0)
    height, low, high = (100 * min(value, top) / top for value in (rate.share, rate.low, rate.high))
    return Bar(day, height, low, high, 100 * rate.of / busiest)


@dataclass(frozen=True, slots=True)
class Cell:
    """Some turns of one distance pair. `strength` is from 0 to 1; `told` says it in words."""

    x: int
    y: int
    n: int
    strength: float
    told: str

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + CELL_WIDTH / 2, self.y + CELL_HEIGHT / 2


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    label: str


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Sizes and places in the picture's own units. `served` outlines what a window of two can serve, `beyond` the
    staircase under which no window serves.
    """

    cells: tuple[Cell, ...]
    columns: tuple[Tick, ...]
    rows: tuple[Tick, ...]
    served: str
    beyond: str
    width: int = LEFT + FARTHEST * CELL_WIDTH + 8
    height: int = TOP + (FARTHEST + 1) * CELL_HEIGHT + 48
    cell_width: int = CELL_WIDTH
    cell_height: int = CELL_HEIGHT
    left: int = LEFT
    bottom: int = TOP + (FARTHEST + 1) * CELL_HEIGHT


def heat_map(found: Distances) -> HeatMap:
    """Columns are d_live from 1, rows d_stale from "nothing closed" at the top down to 1."""
    most = max(found.cells.values(), default=1)
    span = range(1, FARTHEST + 1)
    columns = tuple(Tick(_x(live) + CELL_WIDTH / 2, _distance(live)) for live in span)
    rows = tuple(
        Tick(_y(stale) + CELL_HEIGHT / 2 + 4, _distance(stale) if stale else "none") for stale in (0, *span)
    )
    cells = tuple(_cell(live, stale, n, most) for (live, stale), n in sorted(found.cells.items()))
    return HeatMap(cells, columns, rows, _served(), _beyond())


def _cell(live: int, stale: int, n: int, most: int) -> Cell:
    closed = f"something closed {_distance(stale)} back" if stale else "nothing closed before"
    told = f"{n} turn{'' if n == 1 else 's'}: needed {_distance(live)} back, {closed}"
    return Cell(_x(live), _y(stale), n, round(math.log1p(n) / math.log1p(most), 3), told)


def _served() -> str:
    right, lower = _x(WINDOW) + CELL_WIDTH, _y(WINDOW)
    return f"M{_x(1)} {TOP}H{right}V{lower}H{_x(1)}Z"


def _beyond() -> str:
    """Cells with d_stale at most d_live, as one outline."""
    bottom = _y(1) + CELL_HEIGHT
    steps = "".join(f"V{_y(n)}H{_x(n) + CELL_WIDTH}" for n in range(1, FARTHEST + 1))
    return f"M{_x(1)} {bottom}{steps}V{bottom}Z"


def _x(live: int) -> int:
    return LEFT + (live - 1) * CELL_WIDTH


def _y(stale: int) -> int:
    return TOP + (0 if stale == 0 else FARTHEST + 1 - stale) * CELL_HEIGHT


def _distance(n: int) -> str:
    return f"{n}+" if n >= FARTHEST else str(n)
