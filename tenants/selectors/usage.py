"""Reading what the current tenant has used. Days are UTC; what was counted in the last minute may be missing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from django.db.models import QuerySet, Sum

from tenants.models import UsageDay


@dataclass(frozen=True, slots=True)
class DayOfUsage:
    day: date
    metric: str
    value: int


def usage_of(*, since: date, until: date) -> dict[str, int]:
    """Metric to its sum over a period, both days included."""
    rows = _days(since, until).order_by().values("metric").annotate(total=Sum("value"))
    return {row["metric"]: row["total"] for row in rows.order_by("metric")}


def usage_by_day(*, since: date, until: date, metric: str = "") -> list[DayOfUsage]:
    """What was used on each day with any use, oldest first; of one metric, or of all."""
    rows = _days(since, until).order_by("day", "metric")
    rows = rows.filter(metric=metric) if metric else rows
    return [DayOfUsage(*row) for row in rows.values_list("day", "metric", "value")]


def _days(since: date, until: date) -> QuerySet[UsageDay]:
    return UsageDay.objects.filter(day__gte=since, day__lte=until)
