"""Accepting, stopping, retrying and rating turns."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from conversations import errors
from conversations.models import UNFINISHED, Session, Turn, TurnState
from conversations.selectors import access_turn, turn_known_asked, turns_joined_to
from conversations.services.sessions import session_open
from conversations.services.telling import tell_flagged
from conversations.services.thoughts import MESSAGE_LIMIT, Thought
from kernel.clock import now
from kernel.errors import Invalid
from tenants.postgres.statements import Asked, Statement, answers, instances_of
from tenants.services.quotas import (
    Limits,
    end_user_turn_check,
    quota_check,
    quota_limit,
    quota_limits_asked,
    quota_take,
    usage_add,
)

WAITING_LIMIT = 5

_HOLD = Statement.named("conversations", "session_hold")
_STORE = Statement.named("conversations", "turn_store")
_session = instances_of(Session, "id", "tenant_id", "end_user_id", "turn_count", "event_seq")


@dataclass(frozen=True, slots=True)
class Accepted:
    """A stored turn, and whether this call stored it."""

    turn: Turn
    created: bool


def turn_accept(*, end_user_id: UUID, session_id: UUID | None, client_id: str, text: str) -> Accepted:
    """Store a message before it is acknowledged. The same client id never makes two turns.

    A message that is here already is acknowledged again whatever the limits say, and is not counted twice.
    Raises `MessageEmpty`, `MessageTooLong`, `TooManyWaiting`, `SessionNotFound`, and of the limits `TooManyRequests`,
    `QuotaReached` and `TooManyAtOnce`.
    """
    message = check_message(text)
    asked: dict[str, Any] = {"end_user_id": end_user_id, "session_id": session_id, "client_id": client_id}
    is_known, limits = answers(turn_known_asked(**asked), quota_limits_asked())
    store = partial(_turn_store, **asked, message=message, limits=limits)
    if is_known:
        return store()
    # Valkey is asked before the transaction: nobody waits for it while rows are locked.
    end_user_turn_check(end_user_id=end_user_id, limits=limits)
    quota_take("turns_per_day", limits=limits)
    accepted: Accepted | None = None
    try:
        accepted = store()
        return accepted
    finally:
        if accepted is None or not accepted.created:
            usage_add("turns", -1)


def _turn_store(
    *, end_user_id: UUID, session_id: UUID | None, client_id: str, message: str, limits: Limits
) -> Accepted:
    turn = Turn(id=uuid4(), client_id=client_id, message=message, created_at=now())
    with transaction.atomic() if session_id is None else nullcontext():
        if session_id is None:
            session_id = session_open(end_user_id=end_user_id, client_id=client_id, first_message=message).id
        values = {
            "session_id": session_id,
            "end_user_id": end_user_id,
            "turn_id": turn.id,
            "client_id": client_id,
            "message": message,
            "moment": turn.created_at,
            "most_in_session": WAITING_LIMIT,
            "most_of_end_user": 2 * WAITING_LIMIT,
            "most_in_tenant": quota_limit("concurrent_streams", limits),
        }
        # The second statement sees what whoever held the session before has stored.
        is_held, before = answers(Asked(_HOLD, values, bool), Asked(_STORE, values, _before))
        if not is_held:
            raise errors.SessionNotFound
        if before.session is None and before.known is None:
            check_waiting(before)
            quota_check("concurrent_streams", used=before.in_tenant, limits=limits)
    if before.session is None:
        return Accepted(Turn.objects.get(pk=before.known), created=False)
    turn.session, turn.tenant_id, turn.n = before.session, before.session.tenant_id, before.session.turn_count
    turn._state.adding, turn._state.db = False, before.session._state.db
    return Accepted(turn, created=True)


@dataclass(frozen=True, slots=True)
class Before:
    """What was there before one more turn was taken: the turn of the same message, and how many waited where.

    `session` is the session with one more turn, None where none was taken.
    """

    known: UUID | None
    in_session: int
    of_end_user: int
    in_tenant: int
    session: Session | None = None


def _before(rows: list[Any]) -> Before:
    known, in_session, of_end_user, in_tenant, *session = rows[0]
    return Before(known, in_session, of_end_user, in_tenant, _session(session) if session[0] else None)


def check_waiting(before: Before) -> None:
    """Refuse more unanswered messages than one person can mean to send, here and in all their sessions."""
    if before.in_session >= WAITING_LIMIT or before.of_end_user >= 2 * WAITING_LIMIT:
        raise errors.TooManyWaiting(waiting=before.of_end_user)


def check_message(text: str) -> str:
    """The message without characters that cannot be stored. Raises when it is empty or too long."""
    message = text.replace("\x00", "").strip()
    if not message:
        raise errors.MessageEmpty
    if len(message) > MESSAGE_LIMIT:
        raise errors.MessageTooLong(length=len(message), limit=MESSAGE_LIMIT)
    return message


def turn_stop(*, turn_id: UUID, end_user_id: UUID) -> Turn:
    """Ask for the answer to end where it is. The process that answers sees it at its next step."""
    turn = _carrier(access_turn(turn_id=turn_id, end_user_id=end_user_id))
    Turn.objects.filter(pk=turn.pk, state__in=UNFINISHED).update(stop_requested=True)
    return turn


def turn_retry(*, turn_id: UUID, end_user_id: UUID, client_id: str) -> Accepted:
    """Ask the same again, as a new turn, with all that was joined to it.

    Raises `NotRetryable` for an answered or a waiting one.
    """
    turn = _carrier(access_turn(turn_id=turn_id, end_user_id=end_user_id))
    if turn.state not in (TurnState.FAILED, TurnState.STOPPED):
        raise errors.NotRetryable
    text = Thought(turn, turns_joined_to(turn_id=turn.pk)).message
    return turn_accept(end_user_id=end_user_id, session_id=turn.session_id, client_id=client_id, text=text)


def _carrier(turn: Turn) -> Turn:
    """The turn that carries the answer to this one: itself, or the one it was joined to."""
    return turn.joined_to or turn


def turn_rate(*, turn_id: UUID, end_user_id: UUID, rating: str, reason: str = "") -> Turn:
    if rating not in ("up", "down", "none", ""):
        raise Invalid(reason="A rating is up, down or none.")
    turn = access_turn(turn_id=turn_id, end_user_id=end_user_id)
    turn.rating = rating if rating in ("up", "down") else ""
    turn.rating_reason = reason[:500] if turn.rating else ""
    with transaction.atomic():
        turn.save(update_fields=["rating", "rating_reason"])
        if turn.rating == "down":
            tell_flagged(turn, "rated_down")
    return turn
