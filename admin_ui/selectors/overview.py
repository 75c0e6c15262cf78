"""The numbers of the overview, in a constant number of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from typing import Any

from django.db.models import Case, Count, Q, Sum, When
from django.db.models.functions import TruncDate

from admin_ui.components.marks import DOCUMENT_STATES, VERDICTS, Mark
from conversations.domain.classify import Kind
from conversations.models import Session, Turn, TurnState
from kernel.clock import now
from retrieval.models import UNFINISHED, Document, DocumentState
from retrieval.selectors import documents_visible_to
from tenants.access import Principal

WEEK = timedelta(days=7)
DAYS_DRAWN = 14
NEED_ATTENTION = 6
SUMMED = ("turns", "turns_before", "answered", "without_source", "failed", "up", "down", "rewritten")


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
    """Turns, answers and verdicts are those of the last seven days; documents and conversations are all there are."""

    documents: tuple[Counted, ...]
    document_total: int
    chunk_total: int
    conversations: int
    conversations_week: int
    turns: int
    turns_before: int
    answered: int
    without_source: int
    failed: int
    up: int
    down: int
    rewritten: int
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


def overview_of_tenant(principal: Principal) -> Overview:
    """Four queries. Documents are those that the member may see."""
    visible = documents_visible_to(principal).order_by()
    states = dict(visible.values_list("state").annotate(n=Count("id")))
    turns = _turns_by_day_and_verdict()
    judged = [row for row in turns if row["verdict"]]
    return Overview(
        documents=_counted(DOCUMENT_STATES, states),
        document_total=sum(states.values()),
        chunk_total=visible.filter(generation__gt=0).aggregate(n=Sum("chunk_count"))["n"] or 0,
        **_session_numbers(),
        **{name: sum(row[name] for row in turns) for name in SUMMED},
        verdicts=_counted(VERDICTS, _summed(judged, "verdict", "turns")),
        days=_days(_summed(turns, "day", "all")),
    )


def documents_needing_attention(principal: Principal) -> list[Document]:
    """What failed, then what has been waiting the longest, of what the member may see."""
    failed = Q(state=DocumentState.FAILED)
    waiting = Q(state__in=UNFINISHED, queued_at__lt=now() - timedelta(minutes=5))
    found = documents_visible_to(principal).select_related("corpus").filter(failed | waiting)
    failed_first = Case(When(failed, then=0), default=1)
    return list(found.order_by(failed_first, "-updated_at", "id")[:NEED_ATTENTION])


def _session_numbers() -> dict[str, int]:
    return Session.objects.aggregate(
        conversations=Count("id"), conversations_week=Count("id", Q(created_at__gte=now() - WEEK))
    )


def _turns_by_day_and_verdict() -> list[dict[str, Any]]:
    """Everything the page counts of the turns of two weeks, in one scan: at most fifteen days times the verdicts."""
    week = Q(created_at__gte=now() - WEEK)
    question = week & Q(state=TurnState.COMPLETED) & ~Q(kind=Kind.SMALL_TALK)
    recent = Turn.objects.filter(created_at__gte=now() - 2 * WEEK).order_by()
    grouped = recent.annotate(day=TruncDate("created_at", tzinfo=UTC)).values("day", "verdict")
    return list(
        grouped.annotate(
            all=Count("id"),
            turns=Count("id", filter=week),
            turns_before=Count("id", filter=~week),
            answered=Count("id", filter=question),
            without_source=Count("id", filter=question & Q(citations=[])),
            failed=Count("id", filter=week & Q(state=TurnState.FAILED)),
            up=Count("id", filter=week & Q(rating="up")),
            down=Count("id", filter=week & Q(rating="down")),
            rewritten=Count("id", filter=week & Q(rewritten=True)),
        )
    )


def _summed(rows: Iterable[Mapping[str, Any]], group: str, count: str) -> Counter[Any]:
    totals: Counter[Any] = Counter()
    for row in rows:
        totals[row[group]] += row[count]
    return totals


def _days(counts: Mapping[date, int]) -> tuple[Day, ...]:
    first = now().date() - timedelta(days=DAYS_DRAWN - 1)
    days = [first + timedelta(days=n) for n in range(DAYS_DRAWN)]
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
