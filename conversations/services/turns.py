"""Accepting, beginning, stopping, retrying, rating and finishing turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from conversations import errors
from conversations.audits.scanning import scan, turn_places
from conversations.domain.state import ConversationState, Exchange
from conversations.models import UNFINISHED, ArchivedExchange, Session, Turn, TurnState, TurnTrace
from conversations.selectors import (
    access_session,
    access_turn,
    event_seq_of,
    turn_known,
    turns_joined_to,
    turns_waiting,
)
from conversations.services.leases import lease_acquire
from conversations.services.sessions import session_open, session_state_save
from conversations.services.telling import TOLD, tell_flagged
from kernel.clock import now
from kernel.errors import Invalid
from kernel.json import JsonObject
from tenants.services.quotas import (
    Limits,
    end_user_turn_check,
    quota_check,
    quota_limits,
    quota_take,
    usage_add,
)

MESSAGE_LIMIT = 20_000
WAITING_LIMIT = 5


@dataclass(frozen=True, slots=True)
class Accepted:
    """A stored turn, and whether this call stored it."""

    turn: Turn
    created: bool


@dataclass(frozen=True, slots=True)
class Thought:
    """Messages that waited together. `turn` is the last and carries the answer; `earlier` are joined to it."""

    turn: Turn
    earlier: tuple[Turn, ...] = ()

    @property
    def message(self) -> str:
        return "\n".join(turn.message for turn in (*self.earlier, self.turn))

    @property
    def idle_seconds(self) -> float:
        """How long the session had rested when the first of the messages came, 0 in a new one."""
        first, before = (*self.earlier, self.turn)[0], self.turn.session.last_turn_at
        return max(0.0, (first.created_at - before).total_seconds()) if before else 0.0


@dataclass(frozen=True, slots=True)
class Begun:
    """A session that is answered in under the lease `token`, its last event number that the database knows, and what
    waited there; None when nothing did."""

    token: UUID
    event_seq: int
    thought: Thought | None = None


def turn_accept(*, end_user_id: UUID, session_id: UUID | None, client_id: str, text: str) -> Accepted:
    """Store a message before it is acknowledged. The same client id never makes two turns.

    A message that is here already is acknowledged again whatever the limits say, and is not counted twice.
    Raises `MessageEmpty`, `MessageTooLong`, `TooManyWaiting`, `SessionNotFound`, and of the limits `TooManyRequests`,
    `QuotaReached` and `TooManyAtOnce`.
    """
    message = check_message(text)
    asked: dict[str, Any] = {"end_user_id": end_user_id, "session_id": session_id, "client_id": client_id}
    with transaction.atomic():
        is_known, limits = turn_known(**asked), quota_limits()
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


@transaction.atomic
def _turn_store(
    *, end_user_id: UUID, session_id: UUID | None, client_id: str, message: str, limits: Limits
) -> Accepted:
    if session_id is None:
        session_id = session_open(end_user_id=end_user_id, client_id=client_id, first_message=message).id
    session = access_session(session_id=session_id, end_user_id=end_user_id, lock=True)
    known = Turn.objects.filter(session=session, client_id=client_id).first()
    if known:
        return Accepted(known, created=False)
    check_waiting(session)
    quota_check("concurrent_streams", limits=limits)
    session.turn_count += 1
    session.ended_at = None
    session.save(update_fields=["turn_count", "ended_at", "updated_at"])
    turn = Turn.objects.create(session=session, n=session.turn_count, client_id=client_id, message=message)
    return Accepted(turn, created=True)


def check_waiting(session: Session) -> None:
    """Refuse more unanswered messages than one person can mean to send, here and in all their sessions."""
    theirs = Turn.objects.filter(state__in=UNFINISHED, session__end_user_id=session.end_user_id)
    where = list(theirs.values_list("session_id", flat=True))
    if where.count(session.pk) >= WAITING_LIMIT or len(where) >= 2 * WAITING_LIMIT:
        raise errors.TooManyWaiting(waiting=len(where))


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


@transaction.atomic
def thought_begin(*, session_id: UUID) -> Begun | None:
    """Take the session over, and what waits in it for answering. What was begun before is begun again as it was.

    None while another process answers in the session.
    """
    token = lease_acquire(session_id=session_id)
    if token is None:
        return None
    thought = together(turns_waiting(session_id=session_id))
    if not thought:
        return Begun(token, event_seq_of(session_id=session_id))
    *earlier, turn = thought
    seen_before = turn.attempts > 0
    if earlier:
        joined = {"state": TurnState.JOINED, "joined_to": turn, "finished_at": now()}
        Turn.objects.filter(pk__in=[one.pk for one in earlier]).update(**joined)
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.RUNNING, attempts=F("attempts") + 1)
    turn.attempts += 1
    # Only what was begun before can have others joined to it already.
    joined_now = turns_joined_to(turn_id=turn.pk) if seen_before or earlier else ()
    return Begun(token, turn.session.event_seq, Thought(turn, joined_now))


def together(waiting: Sequence[Turn]) -> list[Turn]:
    """The first of the waiting turns and those after it that make one thought with it, in at most one message's size.

    A turn that was begun before stays as it was begun, and one that was withdrawn while it waited stays alone.
    """
    thought: list[Turn] = list(waiting[:1])
    if not thought or not _fresh(thought[0]):
        return thought
    length = len(thought[0].message)
    for turn in waiting[1:]:
        length += 1 + len(turn.message)
        if length > MESSAGE_LIMIT or not _fresh(turn):
            break
        thought.append(turn)
    return thought


def _fresh(turn: Turn) -> bool:
    return turn.attempts == 0 and not turn.stop_requested


@transaction.atomic
def turn_finish(
    *,
    turn: Turn,
    lease: UUID,
    result: dict[str, Any],
    trace: dict[str, Any] | None = None,
    state: ConversationState | None = None,
) -> JsonObject | None:
    """Store the outcome, the trace, what the session remembers and the exchange itself, all or nothing.

    Gives the state as it was stored, None where there is none. Raises `LeaseLost` when another process has taken the session over: its outcome counts, not this one.
    """
    moment = now()
    ended: dict[str, Any] = {"lease_token": lease}
    if state is not None:
        ended |= {"last_exchange": state.turn, "last_turn_at": moment}
    if not Session.objects.filter(pk=turn.session_id, lease_token=lease).update(**ended):
        raise errors.LeaseLost
    Turn.objects.filter(pk=turn.pk).update(**result, finished_at=moment)
    if result.get("verdict") in TOLD:
        tell_flagged(turn, result["verdict"])
    if trace is not None:
        trace_save(turn=turn, data=trace)
    data: JsonObject | None = None
    if state is not None:
        data = state.to_json()
        session_state_save(session_id=turn.session_id, version=state.version, data=data)
        exchange_archive(turn=turn, exchange=state.exchanges[-1], data=data["exchanges"][-1])
    told = {name: result.get(name, "") for name in ("query", "answer")}
    scan(turn_places(message=turn.message, trace=trace, **told), session_id=turn.session_id, turn=turn.n)
    return data


def trace_save(*, turn: Turn, data: JsonObject) -> None:
    """The turn's trace; that of an earlier attempt makes room."""
    TurnTrace.objects.bulk_create(
        [TurnTrace(turn=turn, data=data)],
        update_conflicts=True,
        unique_fields=["turn"],
        update_fields=["data", "created_at"],
    )


def exchange_archive(*, turn: Turn, exchange: Exchange, data: JsonObject) -> None:
    """Keep a finished exchange for good; `data` is its JSON. The same number again replaces it."""
    found_by = {
        "keys": sorted(keys_of(exchange)),
        "vector": exchange.query_vector or exchange.message_vector,
    }
    ArchivedExchange.objects.bulk_create(
        [ArchivedExchange(session_id=turn.session_id, turn=turn, n=exchange.turn, data=data, **found_by)],
        update_conflicts=True,
        unique_fields=["tenant", "session", "n"],
        update_fields=["turn", "data", *found_by],
    )


def keys_of(exchange: Exchange) -> frozenset[str]:
    """Keys of what an exchange is about: the user's terms, what the rewrite added, what the answer listed or named."""
    own = {term.key for term in (*exchange.terms, *exchange.inherited, *exchange.items)}
    return frozenset(own | {term.key for term in exchange.answer_terms if term.name})
