"""The numbers of the overview, in a constant number of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from typing import Any

from django.db.models import Aggregate, Case, Count, DurationField, Q, Sum, When
from django.db.models.functions import TruncDate

from admin_ui.components.marks import DOCUMENT_STATES, VERDICTS, Mark
from admin_ui.selectors.turns import ABOUT, planters, turns_since
from conversations.models import Session
from kernel.clock import now
from retrieval.models import UNFINISHED, Document, DocumentState
from retrieval.selectors import documents_visible_to
from tenants.access import Principal
from tenants.quotas import QUOTAS
from tenants.selectors.usage import usage_of

DAYS_DRAWN = 14
NEED_ATTENTION = 6
SHOWN_AS = {"all": "turns", "unanswered": "without_source", "judged": "judged_turns"}
SUMMED = (
    "turns",
    "turns_before",
    "answered",
    "without_source",
    "failed",
    "up",
    "down",
    "rewritten",
    "slow",
    "contaminated",
)


@dataclass(frozen=True, slots=True)
class Counted:
    """A state with how many are in it, and their percentage."""

    mark: Mark
    n: int
    share: float


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    turns: int
    height: float


@dataclass(frozen=True, slots=True)
class Overview:
    """Turns, answers and verdicts are those of the last `period` days; documents and conversations are all there are.

    `p50_s` and `p95_s` are seconds from a message to the end of its answer; `tokens` are the language model's.
    """

    period: int
    documents: tuple[Counted, ...]
    document_total: int
    chunk_total: int
    conversations: int
    conversations_new: int
    turns: int
    turns_before: int
    answered: int
    without_source: int
    failed: int
    up: int
    down: int
    rewritten: int
    slow: int
    contaminated: int
    p50_s: float | None
    p95_s: float | None
    tokens: int
    tokens_before: int
    verdicts: tuple[Counted, ...]
    days: tuple[Day, ...]

    @property
    def sourced_share(self) -> int | None:
        """Percent of the answers to a question that cite a source."""
        return round(100 * (self.answered - self.without_source) / self.answered) if self.answered else None

    @property
    def liked_share(self) -> int | None:
        rated = self.up + self.down
        return round(100 * self.up / rated) if rated else None

    @property
    def disliked_share(self) -> int | None:
        return None if self.liked_share is None else 100 - self.liked_share

    @property
    def judged(self) -> int:
        return sum(verdict.n for verdict in self.verdicts)

    @property
    def clean_share(self) -> float | None:
        clean = sum(verdict.n for verdict in self.verdicts if verdict.mark.tone == "clean")
        return round(100 * clean / self.judged, 1) if self.judged else None


def overview_of_tenant(principal: Principal, *, days: int = 7) -> Overview:
    """Six queries. Documents are those that the member may see."""
    visible = documents_visible_to(principal).order_by()
    states = dict(visible.values_list("state").annotate(n=Count("id")))
    turns = _turns_by_day_and_verdict(days)
    judged = [row for row in turns if row["verdict"]]
    return Overview(
        documents=_counted(DOCUMENT_STATES, states),
        document_total=sum(states.values()),
        chunk_total=visible.filter(generation__gt=0).aggregate(n=Sum("chunk_count"))["n"] or 0,
        period=days,
        **_session_numbers(days),
        **_seconds(days),
        **_tokens(days),
        **{name: sum(row[name] for row in turns) for name in SUMMED},
        verdicts=_counted(VERDICTS, _summed(judged, "verdict", "turns")),
        days=_days(_summed(turns, "day", "all"), max(DAYS_DRAWN, days)),
    )


def documents_needing_attention(principal: Principal) -> list[Document]:
    """What failed, then what has been waiting the longest, of what the member may see."""
    failed = Q(state=DocumentState.FAILED)
    waiting = Q(state__in=UNFINISHED, queued_at__lt=now() - timedelta(minutes=5))
    found = documents_visible_to(principal).select_related("corpus").filter(failed | waiting)
    failed_first = Case(When(failed, then=0), default=1)
    return list(found.order_by(failed_first, "-updated_at", "id")[:NEED_ATTENTION])


def _session_numbers(days: int) -> dict[str, int]:
    people = Session.objects.exclude(end_user__in=planters())
    since = now() - timedelta(days=days)
    return people.aggregate(
        conversations=Count("id"), conversations_new=Count("id", Q(created_at__gte=since))
    )


def _turns_by_day_and_verdict(days: int) -> list[dict[str, Any]]:
    """Everything the page counts of its turns, in one scan: at most a row for each day and verdict.

    What is counted in the period is what `admin_ui.selectors.turns` lists under the same name.
    """
    at, period = now(), timedelta(days=days)
    inside = Q(created_at__gte=at - period)
    recent = turns_since(at - max(2 * period, timedelta(days=DAYS_DRAWN))).order_by()
    grouped = recent.annotate(day=TruncDate("created_at", tzinfo=UTC)).values("day", "verdict")
    listed = {
        SHOWN_AS.get(name, name): Count("id", filter=inside & about.turns) for name, about in ABOUT.items()
    }
    before = ~inside & Q(created_at__gte=at - 2 * period)
    return list(
        grouped.annotate(
            all=Count("id"),
            turns_before=Count("id", filter=before),
            rewritten=Count("id", filter=inside & Q(rewritten=True)),
            **listed,
        )
    )


def _seconds(days: int) -> dict[str, Any]:
    """From the message to the end of its answer: the median, and what 95 of 100 stay under."""
    answered = turns_since(now() - timedelta(days=days)).filter(ABOUT["answered"].turns)
    found = answered.aggregate(p50=Percentile("seconds", share=0.5), p95=Percentile("seconds", share=0.95))
    return {f"{name}_s": took.total_seconds() if took else None for name, took in found.items()}


def _tokens(days: int) -> dict[str, int]:
    today, metric = now().date(), QUOTAS["model_tokens_per_month"].metric  # type: ignore[union-attr]
    first = today - timedelta(days=days - 1)
    used = usage_of(since=first, until=today)
    earlier = usage_of(since=first - timedelta(days=days), until=first - timedelta(days=1))
    return {"tokens": used.get(metric, 0), "tokens_before": earlier.get(metric, 0)}


class Percentile(Aggregate):
    """PostgreSQL's `percentile_cont` of an interval."""

    function = "percentile_cont"
    template = "%(function)s(%(share)s) within group (order by %(expressions)s)"
    output_field = DurationField()

    def __init__(self, expression: str, *, share: float) -> None:
        super().__init__(expression, share=share)


def _summed(rows: Iterable[Mapping[str, Any]], group: str, count: str) -> Counter[Any]:
    totals: Counter[Any] = Counter()
    for row in rows:
        totals[row[group]] += row[count]
    return totals


def _days(counts: Mapping[date, int], drawn: int) -> tuple[Day, ...]:
    first = now().date() - timedelta(days=drawn - 1)
    days = [first + timedelta(days=n) for n in range(drawn)]
    most = max((counts.get(day, 0) for day in days), default=0)
    return tuple(
        Day(day, counts.get(day, 0), round(100 * counts.get(day, 0) / most, 1) if most else 0) for day in days
    )


def _counted(table: Mapping[str, Mark], counts: Mapping[str, int]) -> tuple[Counted, ...]:
    total = sum(counts.values())
    return tuple(
        Counted(mark, counts[name], round(100 * counts[name] / total, 2))
        for name, mark in table.items()
        if counts.get(name)
    )
