"""Accepting, stopping, retrying, rating and finishing turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from conversations import errors
from conversations.models import UNFINISHED, Session, Turn, TurnState, TurnTrace
from conversations.selectors import access_session, access_turn
from conversations.services.sessions import session_open, session_state_save
from kernel.clock import now

MESSAGE_LIMIT = 20_000
WAITING_LIMIT = 5


@dataclass(frozen=True, slots=True)
class Accepted:
    """A stored turn, and whether this call stored it."""

    turn: Turn
    created: bool


@transaction.atomic
def turn_accept(*, end_user_id: UUID, session_id: UUID | None, client_id: str, text: str) -> Accepted:
    """Store a message before it is acknowledged. The same client id never makes two turns.

    Raises `MessageEmpty`, `MessageTooLong`, `TooManyWaiting`, `SessionNotFound`.
    """
    message = check_message(text)
    if session_id is None:
        session_id = session_open(end_user_id=end_user_id, client_id=client_id, first_message=message).id
    session = access_session(session_id=session_id, end_user_id=end_user_id, lock=True)
    known = Turn.objects.filter(session=session, client_id=client_id).first()
    if known:
        return Accepted(known, created=False)
    check_waiting(session)
    session.turn_count += 1
    session.save(update_fields=["turn_count", "updated_at"])
    turn = Turn.objects.create(session=session, n=session.turn_count, client_id=client_id, message=message)
    return Accepted(turn, created=True)


def check_waiting(session: Session) -> None:
    """Refuse more unanswered messages than one person can mean to send, here and in all their sessions."""
    unfinished = Turn.objects.filter(state__in=UNFINISHED)
    here = unfinished.filter(session=session).count()
    everywhere = unfinished.filter(session__end_user_id=session.end_user_id).count()
    if here >= WAITING_LIMIT or everywhere >= 2 * WAITING_LIMIT:
        raise errors.TooManyWaiting(waiting=everywhere)


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
    turn = access_turn(turn_id=turn_id, end_user_id=end_user_id)
    Turn.objects.filter(pk=turn.pk, state__in=UNFINISHED).update(stop_requested=True)
    return turn


def turn_retry(*, turn_id: UUID, end_user_id: UUID, client_id: str) -> Accepted:
    """Ask the same again, as a new turn. Raises `NotRetryable` for an answered or a waiting one."""
    turn = access_turn(turn_id=turn_id, end_user_id=end_user_id)
    if turn.state not in (TurnState.FAILED, TurnState.STOPPED):
        raise errors.NotRetryable
    return turn_accept(
        end_user_id=end_user_id, session_id=turn.session_id, client_id=client_id, text=turn.message
    )


def turn_rate(*, turn_id: UUID, end_user_id: UUID, rating: str, reason: str = "") -> Turn:
    turn = access_turn(turn_id=turn_id, end_user_id=end_user_id)
    turn.rating = rating if rating in ("up", "down") else ""
    turn.rating_reason = reason[:500] if turn.rating else ""
    turn.save(update_fields=["rating", "rating_reason"])
    return turn


def turn_begin(*, turn_id: UUID) -> None:
    Turn.objects.filter(pk=turn_id).update(state=TurnState.RUNNING, attempts=F("attempts") + 1)


@transaction.atomic
def turn_finish(
    *,
    turn: Turn,
    lease: UUID,
    result: dict[str, Any],
    trace: dict[str, Any] | None = None,
    state: dict[str, Any] | None = None,
) -> None:
    """Store the outcome, the trace and what the session remembers, all or nothing.

    Raises `LeaseLost` when another process has taken the session over: its outcome counts, not this one.
    """
    if not Session.objects.select_for_update().filter(pk=turn.session_id, lease_token=lease).exists():
        raise errors.LeaseLost
    Turn.objects.filter(pk=turn.pk).update(**result, finished_at=now())
    if trace is not None:
        TurnTrace.objects.update_or_create(turn=turn, defaults={"data": trace})
    if state is not None:
        session_state_save(session_id=turn.session_id, version=state["version"], data=state)
