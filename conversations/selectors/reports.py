"""Figures of turns over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import connection
from django.db.models import Count
from django.db.models.functions import TruncDay, TruncMonth, TruncWeek

from conversations.domain.verdicts import Verdict
from conversations.models import Turn
from tenants.postgres.statements import named
from tenants.scoping import current_tenant_id

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


@dataclass(frozen=True, slots=True)
class OfDay:
    """Turns of one day (UTC) with one verdict."""

    day: date
    verdict: str
    turns: int


@dataclass(frozen=True, slots=True)
class OfStratum:
    """Turns that are alike in all of this. `prompt` is the contextualizer's version, 0 the built-in."""

    kind: str
    policy: int
    prompt: int
    verdict: str
    turns: int


def verdicts_of_days(*, first: date, last: date) -> tuple[list[OfDay], list[OfStratum]]:
    """Every turn that the guard looked at, both days included: once by day, once by stratum. One query, of an index."""
    values: dict[str, Any] = {"tenant_id": current_tenant_id(), "first": first, "last": last}
    with connection.cursor() as cursor:
        cursor.execute(named("conversations", "verdicts_of_days"), values)
        rows = cursor.fetchall()
    by_day = [OfDay(day, verdict, turns) for day, *_, verdict, turns in rows if day is not None]
    return by_day, [OfStratum(*stratum) for day, *stratum in rows if day is None]


def verdicts_total(periods: Sequence[Verdicts]) -> Verdicts:
    counts = {verdict.value: sum(one.by_verdict[verdict] for one in periods) for verdict in Verdict}
    return _verdicts(None, counts)


def _verdicts(begins: date | None, counts: Mapping[str, int]) -> Verdicts:
    return Verdicts(begins, sum(counts.values()), {v.value: counts.get(v.value, 0) for v in Verdict})
