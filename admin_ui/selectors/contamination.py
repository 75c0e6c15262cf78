"""Reading the contamination audit: how often the guard objected, when, to what kind of turn, under which versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count

from admin_ui.components.marks import KINDS, VERDICTS, Mark, mark_of
from conversations.domain.verdicts import Verdict
from conversations.evaluation.metrics import interval
from conversations.models import Turn
from conversations.selectors.reports import Verdicts, verdicts_by_period, verdicts_total
from kernel.clock import now

PERIODS = (7, 30, 90)
FEW = 5


@dataclass(frozen=True, slots=True)
class Rate:
    """`n` of `of` turns, as a share from 0 to 1 with Wilson's 95 % interval."""

    n: int
    of: int

    @property
    def is_few(self) -> bool:
        """So few turns that an interval would say nothing: their number says it."""
        return self.of < FEW

    @property
    def share(self) -> float:
        return self.n / self.of if self.of else 0.0

    @property
    def low(self) -> float:
        return interval(self.share, self.of)[0]

    @property
    def high(self) -> float:
        return interval(self.share, self.of)[1]


@dataclass(frozen=True, slots=True)
class Line:
    """One stratum: its turns, the contaminated among them, and all that the guard objected to.

    `query` is what the queue is narrowed by to show the turns behind it.
    """

    label: str
    query: Mapping[str, str]
    contaminated: Rate
    flagged: Rate
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    contaminated: Rate
    flagged: Rate


@dataclass(frozen=True, slots=True)
class Audit:
    """The figures of a period of `days` until now. `unflagged` is how many turns the guard let through as they were."""

    days: int
    since: datetime
    until: datetime
    total: Line
    by_day: tuple[Day, ...]
    by_verdict: tuple[tuple[Mark, str, Rate], ...]
    by_kind: tuple[Line, ...]
    by_policy: tuple[Line, ...]
    by_prompt: tuple[Line, ...]


def audit(*, days: int) -> Audit:
    """Two queries, however many turns there are. The first day is whole, so `days` are shown."""
    since, until = period(days)
    periods = verdicts_by_period(since=since, until=until, period="day")
    cells = _cells(since, until)
    total = verdicts_total(periods)
    return Audit(
        days=days,
        since=since,
        until=until,
        total=_of(total, "All turns"),
        by_day=_days(periods, since.date(), days),
        by_verdict=tuple((mark_of(VERDICTS, v), v, Rate(total.by_verdict[v], total.turns)) for v in VERDICTS),
        by_kind=_kinds(cells),
        by_policy=_lines(cells, "policy_version", "policy", _policy),
        by_prompt=_lines(cells, "contextualize_version", "prompt", _prompt),
    )


def period(days: int) -> tuple[datetime, datetime]:
    """From the beginning of the first of so many days (UTC) until now."""
    until = now()
    return (until - timedelta(days=days - 1)).replace(hour=0, minute=0, second=0, microsecond=0), until


def _cells(since: datetime, until: datetime) -> list[dict[str, Any]]:
    turns = Turn.objects.filter(created_at__gte=since, created_at__lt=until).exclude(verdict="")
    by = ("kind", "policy_version", "contextualize_version", "verdict")
    return list(turns.order_by().values(*by).annotate(n=Count("*")))  # the index has no ids


def _of(verdicts: Verdicts, label: str) -> Line:
    flagged = verdicts.turns - verdicts.by_verdict[Verdict.CLEAN]
    contaminated = Rate(verdicts.by_verdict[Verdict.CONTAMINATED], verdicts.turns)
    return Line(label, {}, contaminated, Rate(flagged, verdicts.turns))


def _days(periods: Sequence[Verdicts], first: date, days: int) -> tuple[Day, ...]:
    """Days without a turn are there too: a gap is not a rate of zero."""
    found = {one.begins: _of(one, "") for one in periods}
    nothing = Line("", {}, Rate(0, 0), Rate(0, 0))
    every = [first + timedelta(days=n) for n in range(days)]
    return tuple(Day(day, (line := found.get(day, nothing)).contaminated, line.flagged) for day in every)


def _lines(
    cells: Iterable[Mapping[str, Any]], column: str, parameter: str, name: Callable[[int], str]
) -> tuple[Line, ...]:
    """The newest version first. A turn that ran before versions were noted counts as the built-in one."""
    counted: dict[int, dict[str, int]] = {}
    for cell in cells:
        _count(counted.setdefault(cell[column] or 0, {}), cell)
    return tuple(
        _line(name(version), {parameter: str(version)}, counts)
        for version, counts in sorted(counted.items(), reverse=True)
    )


def _kinds(cells: Iterable[Mapping[str, Any]]) -> tuple[Line, ...]:
    """In the order of the product's list of kinds."""
    counted: dict[str, dict[str, int]] = {}
    for cell in cells:
        _count(counted.setdefault(cell["kind"], {}), cell)
    known = [kind for kind in KINDS if kind in counted]
    others = sorted(set(counted) - set(known))
    return tuple(_kind(kind, counted[kind]) for kind in [*known, *others])


def _kind(kind: str, counts: Mapping[str, int]) -> Line:
    mark = mark_of(KINDS, kind) if kind else Mark("no kind", "none", "·")
    line = _line(mark.label, {"kind": kind} if kind in KINDS else {}, counts)
    return replace(line, mark=mark)


def _line(label: str, query: Mapping[str, str], counts: Mapping[str, int]) -> Line:
    of = sum(counts.values())
    contaminated, clean = counts.get(Verdict.CONTAMINATED, 0), counts.get(Verdict.CLEAN, 0)
    return Line(label, query, Rate(contaminated, of), Rate(of - clean, of))


def _count(counts: dict[str, int], cell: Mapping[str, Any]) -> None:
    counts[cell["verdict"]] = counts.get(cell["verdict"], 0) + cell["n"]


def _policy(version: int) -> str:
    return f"Policy {version}" if version else "Built-in policy"


def _prompt(version: int) -> str:
    return f"Prompt {version}" if version else "Built-in prompt"
