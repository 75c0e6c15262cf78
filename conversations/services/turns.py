"""Accepting, stopping, retrying and rating turns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from conversations import errors
from conversations.models import UNFINISHED, Session, Turn, TurnState
from conversations.selectors import access_turn, turn_known_asked, turns_before_asked, turns_joined_to
from conversations.selectors.sessions import Before
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
    quota_limits_asked,
    quota_take,
    usage_add,
)

WAITING_LIMIT = 5

_COUNT_TURN = Statement.named("conversations", "session_count_turn")
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
    with transaction.atomic():
        if session_id is None:
            session_id = session_open(end_user_id=end_user_id, client_id=client_id, first_message=message).id
        asked: dict[str, Any] = {"end_user_id": end_user_id, "session_id": session_id}
        session, before = answers(
            _session_counting(**asked), turns_before_asked(**asked, client_id=client_id)
        )
        if session is None:
            raise errors.SessionNotFound
        if before.known is None:
            check_waiting(before)
            quota_check("concurrent_streams", used=before.in_tenant, limits=limits)
            turn = Turn.objects.create(
                session=session, n=session.turn_count, client_id=client_id, message=message
            )
            return Accepted(turn, created=True)
        transaction.set_rollback(True)  # the session counts no turn for a message that it has
    return Accepted(Turn.objects.get(pk=before.known), created=False)


def _session_counting(*, end_user_id: UUID, session_id: UUID) -> Asked[Session | None]:
    """The question for the person's own session with one more turn, held until the transaction ends."""
    values = {
        "session_id": session_id,
        "end_user_id": end_user_id,
        "moment": now(),
    }
    return Asked(_COUNT_TURN, values, lambda rows: _session(rows[0]) if rows else None)


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
