"""The numbers of the overview, in a constant number of queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

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
    def judged(self) -> int:
        return sum(verdict.n for verdict in self.verdicts)

    @property
    def clean_share(self) -> float | None:
        clean = sum(verdict.n for verdict in self.verdicts if verdict.mark.tone == "clean")
        return round(100 * clean / self.judged, 1) if self.judged else None


def overview_of_tenant() -> Overview:
    """Six queries."""
    states = dict(Document.objects.order_by().values_list("state").annotate(n=Count("id")))
    return Overview(
        documents=_counted(DOCUMENT_STATES, states),
        document_total=sum(states.values()),
        chunk_total=_chunk_total(),
        **_session_numbers(),
        **_turn_numbers(),
        verdicts=_counted(VERDICTS, _verdicts()),
        days=_days(),
    )


def documents_needing_attention(principal: Principal) -> list[Document]:
    """What failed, then what has been waiting the longest, of what the member may see."""
    failed = Q(state=DocumentState.FAILED)
    waiting = Q(state__in=UNFINISHED, queued_at__lt=now() - timedelta(minutes=5))
    found = documents_visible_to(principal).filter(failed | waiting)
    failed_first = Case(When(failed, then=0), default=1)
    return list(found.order_by(failed_first, "-updated_at", "id")[:NEED_ATTENTION])


def _chunk_total() -> int:
    return Document.objects.filter(generation__gt=0).aggregate(n=Sum("chunk_count"))["n"] or 0


def _session_numbers() -> dict[str, int]:
    return Session.objects.aggregate(
        conversations=Count("id"), conversations_week=Count("id", Q(created_at__gte=now() - WEEK))
    )


def _turn_numbers() -> dict[str, int]:
    week = Q(created_at__gte=now() - WEEK)
    question = week & Q(state=TurnState.COMPLETED) & ~Q(kind=Kind.SMALL_TALK)
    return Turn.objects.filter(created_at__gte=now() - 2 * WEEK).aggregate(
        turns=Count("id", week),
        turns_before=Count("id", ~week),
        answered=Count("id", question),
        without_source=Count("id", question & Q(citations=[])),
        failed=Count("id", week & Q(state=TurnState.FAILED)),
        up=Count("id", week & Q(rating="up")),
        down=Count("id", week & Q(rating="down")),
        rewritten=Count("id", week & Q(rewritten=True)),
    )


def _verdicts() -> dict[str, int]:
    recent = Turn.objects.filter(created_at__gte=now() - WEEK).exclude(verdict="")
    return dict(recent.order_by().values_list("verdict").annotate(n=Count("id")))


def _days() -> tuple[Day, ...]:
    first = now().date() - timedelta(days=DAYS_DRAWN - 1)
    recent = Turn.objects.filter(created_at__gte=datetime.combine(first, time.min, UTC)).order_by()
    counts = dict(recent.annotate(day=TruncDate("created_at")).values_list("day").annotate(n=Count("id")))
    most = max(counts.values(), default=0)
    days = [first + timedelta(days=n) for n in range(DAYS_DRAWN)]
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
