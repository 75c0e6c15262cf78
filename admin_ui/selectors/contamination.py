"""Reading the contamination audit: how often the guard objected, when, to what kind of turn, under which versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TypeVar

from admin_ui.components.marks import KINDS, VERDICTS, Mark, mark_of
from conversations.domain.verdicts import Verdict
from conversations.evaluation.metrics import interval
from conversations.selectors.reports import OfDay, OfStratum, verdicts_of_days
from kernel.clock import now

Key = TypeVar("Key")
Row = TypeVar("Row", OfDay, OfStratum)
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
    """One query, however many turns there are. The first day is whole, so `days` are shown."""
    since, until = period(days)
    days_of, strata = verdicts_of_days(first=since.date(), last=until.date())
    total = _counted(days_of, lambda one: "").get("", Counter())
    turns = sum(total.values())
    return Audit(
        days=days,
        since=since,
        until=until,
        total=_line("All turns", {}, total),
        by_day=_days(_counted(days_of, lambda one: one.day), since.date(), days),
        by_verdict=tuple((mark_of(VERDICTS, v), v, Rate(total[v], turns)) for v in VERDICTS),
        by_kind=_kinds(_counted(strata, lambda one: one.kind)),
        by_policy=_versions(_counted(strata, lambda one: one.policy), "policy", _policy),
        by_prompt=_versions(_counted(strata, lambda one: one.prompt), "prompt", _prompt),
    )


def period(days: int) -> tuple[datetime, datetime]:
    """From the beginning of the first of so many days (UTC) until now."""
    until = now()
    return (until - timedelta(days=days - 1)).replace(hour=0, minute=0, second=0, microsecond=0), until


def _counted(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, Counter[str]]:
    """Turns by verdict for each value of the key."""
    found: dict[Key, Counter[str]] = {}
    for row in rows:
        found.setdefault(key(row), Counter())[row.verdict] += row.turns
    return found


def _days(counted: Mapping[date, Counter[str]], first: date, days: int) -> tuple[Day, ...]:
    """Days without a turn are there too: a gap is not a rate of zero."""
    every = [first + timedelta(days=n) for n in range(days)]
    lines = [_line("", {}, counted.get(day, Counter())) for day in every]
    return tuple(Day(day, line.contaminated, line.flagged) for day, line in zip(every, lines, strict=True))


def _versions(
    counted: Mapping[int, Counter[str]], parameter: str, name: Callable[[int], str]
) -> tuple[Line, ...]:
    """The newest version first. A turn that ran before versions were noted counts as the built-in one."""
    found = sorted(counted.items(), reverse=True)
    return tuple(_line(name(version), {parameter: str(version)}, counts) for version, counts in found)


def _kinds(counted: Mapping[str, Counter[str]]) -> tuple[Line, ...]:
    """In the order of the product's list of kinds."""
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


def _policy(version: int) -> str:
    return f"Policy {version}" if version else "Built-in policy"


def _prompt(version: int) -> str:
    return f"Prompt {version}" if version else "Built-in prompt"
