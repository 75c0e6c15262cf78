"""Reading usage for the console: what was used on each day, and how much of each quota is left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from kernel.clock import now
from tenants.quotas import NEAR, QUOTAS, Pace
from tenants.selectors.usage import usage_by_day, usage_of
from tenants.services.quotas import QuotaState, quota_states

PERIODS = {7: "7 days", 28: "28 days", 90: "90 days"}
NAMES: Mapping[str, str] = {
    "turns": "Turns",
    "model_tokens": "Model tokens",
    "requests": "API requests",
    "documents": "Documents",
    "bytes": "Bytes of files",
}


@dataclass(frozen=True, slots=True)
class Quota:
    """`share` is the percentage used, 100 at most; None where there is no limit or nothing is counted."""

    state: QuotaState
    share: float | None

    @property
    def tone(self) -> str:
        if self.share is None:
            return "plain"
        return "contaminated" if self.share >= 100 * NEAR[1] else "stale" if self.is_near else "clean"

    @property
    def is_near(self) -> bool:
        return self.share is not None and self.share >= 100 * NEAR[0]

    @property
    def is_bytes(self) -> bool:
        return self.state.name == "storage_bytes"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric's days as percentages of its busiest; `before` is the sum of the period before."""

    name: str
    label: str
    total: int
    before: int
    days: tuple[tuple[date, int, float], ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """`rows` hold each day, the newest first, with a value for each of `metrics`."""

    days: int
    metrics: tuple[Metric, ...]

    @property
    def rows(self) -> Iterator[tuple[date, list[int]]]:
        for at in reversed(range(self.days)):
            yield (
                self.metrics[0].days[at][0],
                [metric.days[at][1] for metric in self.metrics],
            )

    @property
    def is_empty(self) -> bool:
        return not any(metric.total for metric in self.metrics)


def quotas() -> list[Quota]:
    """Quotas of which something is used up or taken, then paces, which leave nothing to show."""
    states = quota_states()
    return [Quota(state, _share(state)) for state in sorted(states, key=_is_pace)]


def quotas_near() -> list[Quota]:
    """Those that the tenant is told of: 80 % or more is used."""
    return [quota for quota in quotas() if quota.is_near]


def turns_today(found: Iterable[Quota]) -> int:
    """As the quota counts them: at this moment, before they are written down with the day."""
    return next((quota.state.used or 0 for quota in found if quota.state.name == "turns_per_day"), 0)


def usage(*, days: int, turns: int) -> Usage:
    """The last `days`, today included (UTC), which has at least so many `turns`. Two queries."""
    last = now().date()
    first = last - timedelta(days=days - 1)
    found: dict[str, dict[date, int]] = defaultdict(dict)
    for one in usage_by_day(since=first, until=last):
        found[one.metric][one.day] = one.value
    found["turns"][last] = max(turns, found["turns"].get(last, 0))
    before = usage_of(since=first - timedelta(days=days), until=first - timedelta(days=1))
    names = ["turns", "model_tokens", *sorted(set(found) - {"turns", "model_tokens"})]
    dates = [first + timedelta(days=n) for n in range(days)]
    return Usage(days, tuple(_metric(name, found[name], before.get(name, 0), dates) for name in names))


def _metric(name: str, values: Mapping[date, int], before: int, dates: list[date]) -> Metric:
    most = max((values.get(day, 0) for day in dates), default=0)
    drawn = tuple(
        (day, n := values.get(day, 0), round(100 * max(n, 0) / most, 1) if most > 0 else 0.0) for day in dates
    )
    label = NAMES.get(name, name.replace("_", " ").capitalize())
    return Metric(name, label, sum(n for _, n, _ in drawn), before, drawn)


def _share(state: QuotaState) -> float | None:
    if state.limit is None or state.used is None:
        return None
    return min(100.0, round(100 * state.used / state.limit, 1)) if state.limit else 100.0


def _is_pace(state: QuotaState) -> bool:
    return isinstance(QUOTAS[state.name], Pace)
