"""Figures of turns over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Count
from django.db.models.functions import TruncDay, TruncMonth, TruncWeek

from conversations.domain.verdicts import Verdict
from conversations.models import Turn

PERIODS = {"day": TruncDay, "week": TruncWeek, "month": TruncMonth}


@dataclass(frozen=True, slots=True)
class Verdicts:
    """How many answered turns of a period earned each verdict. `begins` is its first day (UTC), None for all."""

    begins: date | None
    turns: int
    by_verdict: Mapping[str, int]

    @property
    def contaminated_share(self) -> float:
        """Of all turns that the guard looked at, 0 where it looked at none."""
        return self.by_verdict[Verdict.CONTAMINATED] / self.turns if self.turns else 0.0


def verdicts_by_period(*, since: datetime, until: datetime, period: str) -> Sequence[Verdicts]:
    """From `since` up to and without `until`; periods without a turn are left out. One query, of an index alone."""
    turns = Turn.objects.filter(created_at__gte=since, created_at__lt=until).exclude(verdict="")
    rows = turns.order_by().values("verdict", begins=PERIODS[period]("created_at")).annotate(n=Count("*"))
    found: dict[date, dict[str, int]] = {}
    for row in rows:
        found.setdefault(row["begins"].date(), {})[row["verdict"]] = row["n"]
    return [_verdicts(begins, counts) for begins, counts in sorted(found.items())]


def verdicts_total(periods: Sequence[Verdicts]) -> Verdicts:
    counts = {verdict.value: sum(one.by_verdict[verdict] for one in periods) for verdict in Verdict}
    return _verdicts(None, counts)


def _verdicts(begins: date | None, counts: Mapping[str, int]) -> Verdicts:
    return Verdicts(begins, sum(counts.values()), {v.value: counts.get(v.value, 0) for v in Verdict})
