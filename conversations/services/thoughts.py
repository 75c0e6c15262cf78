"""Taking up what waits in a session, and storing how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from conversations import errors
from conversations.audits.scanning import scan_turn
from conversations.domain.state import ConversationState, Exchange, without_archived
from conversations.models import Turn, TurnState
from conversations.selectors import session_waits, turns_joined_to
from conversations.services.leases import lease_asked
from conversations.services.telling import TOLD, tell_flagged
from kernel.clock import now
from kernel.json import JsonObject, json_text
from tenants.models import EndUser
from tenants.postgres.statements import Asked, Statement, answer, answers, instances_of

MESSAGE_LIMIT = 20_000
"""Characters of a message, and of the messages that are answered as one."""

_TAKE_UP = Statement.named("conversations", "turns_take_up")
_RUNNING = Statement.named("conversations", "turn_running")
_FINISH = Statement.named("conversations", "turn_finish")
_end_user = instances_of(EndUser, "id", "tenant_id", "user_id")
_turn = instances_of(
    Turn,
    "id",
    "tenant_id",
    "session_id",
    "n",
    "client_id",
    "message",
    "state",
    "attempts",
    "stop_requested",
    "joined_to_id",
    "created_at",
)


@dataclass(frozen=True, slots=True)
class Thought:
    """Messages that waited together. `turn` is the last and carries the answer; `earlier` are joined to it.

    `state_version` is that of what the session remembers, 0 when it remembers nothing.
    """

    turn: Turn
    earlier: tuple[Turn, ...] = ()
    state_version: int = 0

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


def thought_begin(*, session_id: UUID) -> Begun | None:
    """Take the session over, and what waits in it for answering. What was begun before is begun again as it was.

    None while another process answers in the session.
    """
    token = uuid4()
    session, waiting = answers(
        lease_asked(session_id=session_id, token=token),
        Asked(_TAKE_UP, {"session_id": session_id, "token": token}, _waiting),
    )
    if session is None:
        return None
    thought = together(waiting.turns)
    if not thought:
        return Begun(token, session.event_seq)
    session.end_user = _end_user((session.end_user_id, session.tenant_id, waiting.user_id))
    for one in thought:
        one.session = session
    *earlier, turn = thought
    if not waiting.is_begun:
        _begin(turn, earlier)
    # Only what was begun before can have others joined to it already.
    joined = turns_joined_to(turn_id=turn.pk) if earlier or turn.attempts else ()
    turn.attempts += 1
    return Begun(token, session.event_seq, Thought(turn, joined, waiting.state_version))


@dataclass(frozen=True, slots=True)
class _Waiting:
    """The turns that wait in a session, oldest first, as they were before one that waits alone `is_begun`.

    `user_id` is the account of whoever asks, if they have one; `state_version` that of what the session remembers, 0
    when it remembers nothing.
    """

    turns: tuple[Turn, ...] = ()
    is_begun: bool = False
    user_id: int | None = None
    state_version: int = 0


def _waiting(rows: list[Any]) -> _Waiting:
    if not rows:
        return _Waiting()
    return _Waiting(tuple(_turn(row[3:]) for row in rows), *rows[0][:3])


def _begin(turn: Turn, earlier: Sequence[Turn]) -> None:
    """Mark the turn as being answered, and those before it as joined to it."""
    with transaction.atomic() if earlier else nullcontext():
        if earlier:
            joined = {"state": TurnState.JOINED, "joined_to": turn, "finished_at": now()}
            Turn.objects.filter(pk__in=[one.pk for one in earlier]).update(**joined)
        _RUNNING.fetch({"turn_id": turn.pk})


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


@dataclass(frozen=True, slots=True)
class Ended:
    """How a turn's end was stored: whether a later turn waits in the session, and what it remembers as JSON, None
    where nothing new is."""

    more_wait: bool
    state: JsonObject | None = None


def turn_finish(
    *,
    turn: Turn,
    lease: UUID,
    result: dict[str, Any],
    event_seq: int = 0,
    trace: JsonObject | None = None,
    state: ConversationState | None = None,
    again: bool = False,
) -> Ended:
    """Store the outcome, the trace, what the session remembers and the exchange itself, all or nothing, and give the
    lease back. `event_seq` is the last event number used, or a lower one. `again` when an earlier call was broken off:
    it may have stored all this, and only its answer was lost.

    Raises `LeaseLost` when another process has taken the session over: its outcome counts, not this one.
    """
    data = state.to_json() if state else None
    traced = json_text(trace) if trace is not None else None
    said = {name: result.get(name, "") for name in ("query", "answer")}
    scan_turn(
        session_id=turn.session_id, n=turn.n, message=turn.message, trace=trace, traced=traced or "", **said
    )
    values = {
        "session_id": turn.session_id,
        "turn_id": turn.pk,
        "n": turn.n,
        "lease": lease,
        "event_seq": event_seq,
        "moment": now(),
        "outcome": json_text(result),
        "trace_id": uuid4(),
        "trace": traced,
        **_remembered(state, data),
    }
    flagged = result.get("verdict") in TOLD
    with transaction.atomic() if flagged else nullcontext():
        ended = answer(Asked(_FINISH, values, lambda rows: Ended(rows[0][0], data) if rows else None))
        if ended is None and again and _is_stored(turn):
            return Ended(session_waits(session_id=turn.session_id), data)
        if ended is None:
            raise errors.LeaseLost
        if flagged:
            tell_flagged(turn, result["verdict"])
    return ended


def _is_stored(turn: Turn) -> bool:
    """Whether the turn ended in this attempt at it: whoever takes it over begins another."""
    return Turn.objects.filter(pk=turn.pk, attempts=turn.attempts, finished_at__isnull=False).exists()


def _remembered(state: ConversationState | None, data: JsonObject | None) -> dict[str, Any]:
    """The values of what the session remembers, null where nothing new is."""
    names = ("version", "state_id", "state", "exchange_n", "archive_id", "keys", "vector", "exchange")
    if state is None or data is None:
        return dict.fromkeys(names)
    last = state.exchanges[-1]
    return {
        "version": state.version,
        "state_id": uuid4(),
        "state": json_text(without_archived(data)),
        "exchange_n": last.turn,
        "archive_id": uuid4(),
        "keys": sorted(keys_of(last)),
        "vector": vector_of(last),
        "exchange": json_text(data["exchanges"][-1]),
    }


def vector_of(exchange: Exchange) -> bytes:
    """The packed vector that an archived exchange is found by."""
    return exchange.query_vector or exchange.message_vector


def keys_of(exchange: Exchange) -> frozenset[str]:
    """Keys of what an exchange is about: the user's terms, what the rewrite added, what the answer listed or named."""
    own = {term.key for term in (*exchange.terms, *exchange.inherited, *exchange.items)}
    return frozenset(own | {term.key for term in exchange.answer_terms if term.name})
