"""The numbers of the overview, in a constant number of queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Aggregate, Count, DurationField, Q, QuerySet, Sum
from django.db.models.functions import TruncDate

from admin_ui.components.marks import DOCUMENT_STATES, VERDICTS, Mark
from admin_ui.selectors.turns import ABOUT, turns_since
from conversations.models import Session, Turn
from conversations.selectors.people import planters
from kernel.clock import now
from retrieval.models import UNFINISHED, Document, DocumentState
from retrieval.selectors import documents_visible_to
from tenants.access import Principal
from tenants.quotas import QUOTAS
from tenants.selectors.usage import usage_of

DAYS_DRAWN = 14
NEED_ATTENTION = 6
COUNTED = ("answered", "failed", "up", "down", "slow", "contaminated")
"""What is counted of the turns of the period, as `admin_ui.selectors.turns` lists it under the same name."""


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


@transaction.atomic
def overview_of_tenant(principal: Principal, *, days: int = 7) -> Overview:
    """Ten queries, which share a transaction: each by itself would cost two round trips more. Documents are those that the
    member may see.
    """
    visible = documents_visible_to(principal).order_by()
    states = dict(visible.values_list("state").annotate(n=Count("id")))
    return Overview(
        documents=_counted(DOCUMENT_STATES, states),
        document_total=sum(states.values()),
        chunk_total=visible.filter(generation__gt=0).aggregate(n=Sum("chunk_count"))["n"] or 0,
        period=days,
        **_session_numbers(days),
        **_seconds(days),
        **_tokens(days),
        **_turns_of_period(days),
        turns_before=_period(2 * days).filter(created_at__lt=now() - timedelta(days=days)).count(),
        without_source=_period(days).filter(ABOUT["unanswered"].turns).count(),
        days=_days(max(DAYS_DRAWN, days)),
    )


def documents_needing_attention(principal: Principal) -> list[Document]:
    """What failed, then what has been waiting the longest, of what the member may see. Two queries."""
    found = documents_visible_to(principal).select_related("corpus")
    failed = found.filter(state=DocumentState.FAILED).order_by("-updated_at", "id")
    late = found.filter(state__in=UNFINISHED, queued_at__lt=now() - timedelta(minutes=5))
    return [*failed[:NEED_ATTENTION], *late.order_by("queued_at", "id")[:NEED_ATTENTION]][:NEED_ATTENTION]


def _session_numbers(days: int) -> dict[str, Any]:
    people = Session.objects.exclude(end_user__in=planters())
    since = now() - timedelta(days=days)
    return people.aggregate(
        conversations=Count("id"), conversations_new=Count("id", Q(created_at__gte=since))
    )


def _period(days: int) -> QuerySet[Turn]:
    return turns_since(now() - timedelta(days=days)).order_by()


def _turns_of_period(days: int) -> dict[str, Any]:
    """What an index holds of each turn, counted in one scan of it: a row for each verdict."""
    listed = {name: Count("id", filter=ABOUT[name].turns) for name in COUNTED}
    rewritten = Count("id", filter=Q(rewritten=True))
    rows = list(_period(days).values("verdict").annotate(turns=Count("id"), rewritten=rewritten, **listed))
    judged = {row["verdict"]: row["turns"] for row in rows if row["verdict"]}
    summed = {name: sum(row[name] for row in rows) for name in ("turns", "rewritten", *COUNTED)}
    return {**summed, "verdicts": _counted(VERDICTS, judged)}


def _seconds(days: int) -> dict[str, Any]:
    """From the message to the end of its answer: the median, and what 95 of 100 stay under."""
    answered = _period(days).filter(ABOUT["answered"].turns)
    found = answered.aggregate(p50=Percentile("seconds", share=0.5), p95=Percentile("seconds", share=0.95))
    return {f"{name}_s": took.total_seconds() if took else None for name, took in found.items()}


def _tokens(days: int) -> dict[str, Any]:
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


def _days(drawn: int) -> tuple[Day, ...]:
    """So many days (UTC), the last of them today, with the turns of each."""
    first = now().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=drawn - 1)
    grouped = turns_since(first).order_by().annotate(day=TruncDate("created_at", tzinfo=UTC)).values("day")
    counts = dict(grouped.values_list("day").annotate(n=Count("id")))
    days = [first.date() + timedelta(days=n) for n in range(drawn)]
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
