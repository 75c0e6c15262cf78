"""Reading conversations for the console: lists, one conversation with its traces, and what its timeline needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.fields.json import KeyTransform

from admin_ui.components.marks import VERDICTS, Mark, mark_of
from admin_ui.components.places import Places
from admin_ui.components.timeline import Remembered
from admin_ui.components.turn_card import TurnCard, turn_card
from admin_ui.selectors.paging import one_scan_page
from conversations.domain.verdicts import FLAGGED, Verdict
from conversations.errors import SessionNotFound
from conversations.models import Session, Turn, TurnTrace
from conversations.selectors.people import planters
from conversations.selectors.sight import Sight
from kernel.json import JsonObject

PER_PAGE = 25
TURNS_PER_PAGE = 40


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A line of the list: the conversation and how many of its turns earned each verdict."""

    session: Session
    clean: int
    flagged: tuple[tuple[Mark, int], ...]
    thumbs_up: int
    thumbs_down: int


@dataclass(frozen=True, slots=True)
class SessionPage:
    page: Page[Session]
    rows: list[SessionRow]


@transaction.atomic
def sessions_page(*, number: str, search: str = "", verdict: str = "") -> SessionPage:
    """Conversations, the latest first. `verdict` keeps those with a turn that earned it, "flagged" any but clean."""
    found = _peoples_sessions()
    if search:
        found = found.filter(pk__in=_found(search))
    if verdict:
        wanted = FLAGGED if verdict == "flagged" else (verdict,)
        found = found.filter(pk__in=Turn.objects.filter(verdict__in=wanted).values("session_id"))
    ids: Any = found.values_list("pk", flat=True)
    # A search, and a verdict, takes one look at every turn: it counts what it finds while it is there.
    page = (
        one_scan_page(ids, PER_PAGE, number)
        if search or verdict
        else Paginator(ids, PER_PAGE).get_page(number)
    )
    page.object_list = list(_peoples_sessions().filter(pk__in=list(page.object_list)))
    return SessionPage(page, session_rows(page.object_list))


def _found(search: str) -> QuerySet[Session, Any]:
    """Ids of conversations by their title, their person's name or a message.

    Three lists made one, since with "or" in one condition every message would be read: like this, the first message of a
    conversation that holds the words is enough.
    """
    said = Turn.objects.filter(session=OuterRef("pk"), message__icontains=search)
    every = Session.objects.order_by().values("pk")
    named = every.filter(end_user__name__icontains=search)
    return every.filter(Exists(said)).union(every.filter(title__icontains=search), named)


def sessions_latest(*, limit: int) -> list[SessionRow]:
    return session_rows(list(_peoples_sessions()[:limit]))


def _peoples_sessions() -> QuerySet[Session]:
    """All but those that the platform plants for the leakage audit."""
    people = Session.objects.exclude(end_user__in=planters())
    return people.select_related("end_user").order_by("-updated_at", "id")


def session_rows(sessions: Sequence[Session]) -> list[SessionRow]:
    """One query for the marks of all of them."""
    turns = Turn.objects.filter(session__in=sessions).order_by()
    counted: dict[UUID, dict[str, int]] = {}
    rated: dict[UUID, tuple[int, int]] = {}
    for row in turns.values("session_id", "verdict").annotate(
        n=Count("id"), up=Count("id", Q(rating="up")), down=Count("id", Q(rating="down"))
    ):
        key = row["session_id"]
        counted.setdefault(key, {})[row["verdict"]] = row["n"]
        up, down = rated.get(key, (0, 0))
        rated[key] = (up + row["up"], down + row["down"])
    return [_session_row(s, counted.get(s.pk, {}), rated.get(s.pk, (0, 0))) for s in sessions]


def _session_row(session: Session, counts: Mapping[str, int], rated: tuple[int, int]) -> SessionRow:
    flagged = tuple((mark_of(VERDICTS, name), counts[name]) for name in FLAGGED if counts.get(name))
    return SessionRow(session, counts.get(Verdict.CLEAN, 0), flagged, *rated)


def access_conversation(*, session_id: UUID) -> Session:
    """Any conversation of the tenant, for a member. Raises `SessionNotFound`."""
    session = Session.objects.select_related("end_user__user").filter(pk=session_id).first()
    if session is None:
        raise SessionNotFound
    return session


def turn_memories(session: Session, sight: Sight) -> list[Remembered]:
    """All turns as the reader may see them, without the bulk of their traces: two queries however many there are."""
    shift = KeyTransform("topic_shift", KeyTransform("classification", "data"))
    parts = TurnTrace.objects.filter(turn__session=session)
    traced = {
        turn: more for turn, *more in parts.values_list("turn_id", KeyTransform("memory", "data"), shift)
    }
    turns = Turn.objects.filter(session=session).order_by("n")
    rows = list(turns.values_list("id", "n", "kind", "verdict", "message", "joined_to__n"))
    memories = sight.memories([traced.get(row[0], (None, False))[0] for row in rows])
    found = []
    for (turn_id, n, kind, verdict, message, joined_to), memory in zip(rows, memories, strict=True):
        shifted, url = bool(traced.get(turn_id, (None, False))[1]), f"?turn={n}#turn-{n}"
        found.append(Remembered(n, url, kind, verdict, message, shifted, memory, joined_to or 0))
    return found


def near(turns: Sequence[Remembered], number: int) -> list[Remembered]:
    """Turns on the page in view are linked without leaving it."""
    return [
        replace(turn, url=f"#turn-{turn.n}") if page_of_turn(turn.n) == number else turn for turn in turns
    ]


def page_of_turn(turn: int) -> int:
    return (max(turn, 1) - 1) // TURNS_PER_PAGE + 1


def turn_pages(turns: int) -> range:
    return range(1, page_of_turn(turns) + 1)


def page_asked(query: Mapping[str, str], *, turns: int) -> int:
    """From `?turn=` or `?page=`, kept inside what exists."""
    turn, page = query.get("turn", ""), query.get("page", "")
    number = page_of_turn(_number(turn)) if turn else _number(page)
    return min(max(number, 1), page_of_turn(turns))


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def turns_on(number: int) -> tuple[int, int]:
    """The first and the last turn that a page holds."""
    return (number - 1) * TURNS_PER_PAGE + 1, number * TURNS_PER_PAGE


@transaction.atomic
def turn_cards(session: Session, sight: Sight, places: Places, *, number: int) -> list[TurnCard]:
    """The turns of one page with their traces, as the reader may see them: three queries.

    Messages that were answered together with a later one stand in its card; where that one is on another page, a
    card says so.
    """
    first, last = turns_on(number)
    turns = list(Turn.objects.filter(session=session, n__gte=first, n__lte=last).order_by("n"))
    traces = dict(TurnTrace.objects.filter(turn__in=turns).values_list("turn_id", "data"))
    joined = _joined(turns)
    inside = {turn.pk for turn in turns}
    return [
        _card(turn, sight, places, traces.get(turn.pk), joined.get(turn.pk, ()))
        for turn in turns
        if turn.joined_to_id not in inside
    ]


def _joined(turns: Sequence[Turn]) -> dict[UUID, list[Turn]]:
    """By the turn that carries their answer."""
    found: dict[UUID, list[Turn]] = defaultdict(list)
    for turn in Turn.objects.filter(joined_to__in=turns).order_by("n"):
        found[turn.joined_to_id].append(turn)  # type: ignore[index]
    return found


def _card(
    turn: Turn, sight: Sight, places: Places, trace: JsonObject | None, joined: Sequence[Turn]
) -> TurnCard:
    return turn_card(
        turn,
        sight.trace(trace, turn.n),
        places,
        joined=joined,
        answered_in=places.carrier(turn.n) if turn.joined_to_id else None,
        sources=sight.sources(turn.citations),
        sealed=turn.n in sight.sealed,
        carries_sealed=sight.carries_sealed(turn.n),
    )
