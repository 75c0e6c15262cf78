"""Answering the waiting turns of a session: one process at a time, in order, and again when that process dies."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction

from conversations import errors, selectors
from conversations.adapters import session_cache
from conversations.adapters.event_log import EventLog
from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Ports
from conversations.domain.prompts import Prompts
from conversations.domain.state import ConversationState
from conversations.domain.turn import TurnInput, run_turn
from conversations.domain.turn_events import AnswerPiece, QueryDecided, SourcesFound, TurnEvent, TurnFinished
from conversations.models import Turn
from conversations.services.leases import lease_acquire, lease_release, lease_renew
from conversations.services.observing import turn_observe
from conversations.services.outcomes import broken, citation_as_seen, finished
from conversations.services.turns import Thought, thought_begin, turn_finish
from kernel.errors import DomainError
from kernel.log_ids import logged_as
from kernel.observed import Counted, count
from kernel.traced import span
from tenants.threads import in_thread

log = logging.getLogger(__name__)

ATTEMPTS = 3
HEARTBEAT_SECONDS = 1.0
FLUSH_SECONDS = 0.04
FLUSH_SECONDS_EACH, FLUSH_MOST_SECONDS = 0.0012, 0.25

PortsFor = Callable[[Turn], tuple[Ports, ScopePolicy]]
AfterTurn = Callable[[UUID], object]
_stops: dict[UUID, tuple[UUID, asyncio.Event]] = {}


def stop_now(turn_id: UUID) -> None:
    """Tell an answer that runs in this process to end where it is."""
    if running := _stops.get(turn_id):
        running[1].set()


async def answer_session(
    session_id: UUID, *, ports_for: PortsFor, after_turn: AfterTurn | None = None
) -> None:
    """Answer everything that waits in a session. Returns at once when another process does so already.

    `after_turn` is called in a thread with the session's id when an exchange has been stored: there the door queues
    the memory work. Whatever it raises is logged and costs the turn nothing.
    """
    owners: set[UUID] = set()
    owner: UUID | None = None
    while begun := await in_thread(_begun, session_id):
        token, events = begun
        try:
            async with _renewed(session_id, token):
                if thought := await in_thread(thought_begin, session_id=session_id, lease=token):
                    owners.add(thought.turn.session.end_user_id)
                    await _answer_and_tell(thought, token, events, ports_for, after_turn)
        except errors.LeaseLost:
            log.info("session %s was taken over or deleted", session_id)
        finally:
            last = await events.last()
            waits, owner = await in_thread(_given_back, session_id, token, last)
        if not waits:
            break
    if owners:
        await _leave_nothing_behind(session_id, owner, owners)


@transaction.atomic
def _begun(session_id: UUID) -> tuple[UUID, EventLog] | None:
    """The lease on the session and its event log, or None while another process holds it."""
    token = lease_acquire(session_id=session_id)
    if token is None:
        return None
    return token, EventLog(session_id, floor=selectors.event_seq_of(session_id=session_id))


@transaction.atomic
def _given_back(session_id: UUID, token: UUID, event_seq: int) -> tuple[bool, UUID | None]:
    """Give the lease back; then whether a turn waits, and whose the session is.

    Whoever tried for the lease before had stored a turn that is seen here; whoever tries now waits for our commit.
    """
    lease_release(session_id=session_id, token=token, event_seq=event_seq)
    waits = selectors.session_waits(session_id=session_id)
    return waits, selectors.session_owner(session_id=session_id)


async def _answer_and_tell(
    thought: Thought, token: UUID, events: EventLog, ports_for: PortsFor, after_turn: AfterTurn | None
) -> None:
    session_id = thought.turn.session_id
    with logged_as(session=session_id, turn=thought.turn.id), span("turn"):
        if await _answer(thought, token, events, ports_for):
            await _told(after_turn, session_id)


async def _told(after_turn: AfterTurn | None, session_id: UUID) -> None:
    try:
        if after_turn is not None:
            await in_thread(after_turn, session_id)
    except Exception:
        log.exception("work after a turn of session %s was not queued; the sweep finds it", session_id)


@asynccontextmanager
async def _renewed(session_id: UUID, token: UUID) -> AsyncIterator[None]:
    """Hold the lease while the block runs, hear stops that another process was asked for, and end with the lease."""

    def running() -> list[UUID]:
        return [turn_id for turn_id, (where, _) in _stops.items() if where == session_id]

    async def beat() -> None:
        await asyncio.sleep(HEARTBEAT_SECONDS)  # the lease is fresh, and most turns are shorter
        while await in_thread(lease_renew, session_id=session_id, token=token):
            for turn_id in running():
                if await in_thread(selectors.stop_requested, turn_id=turn_id):
                    stop_now(turn_id)
            await asyncio.sleep(HEARTBEAT_SECONDS)
        for turn_id in running():  # taken over or deleted: nobody reads on
            stop_now(turn_id)

    heart = asyncio.create_task(beat())
    try:
        yield
    finally:
        heart.cancel()


async def _answer(thought: Thought, token: UUID, events: EventLog, ports_for: PortsFor) -> bool:
    """One thought, from its stored messages to its stored outcome: whatever goes wrong ends in a clear state.

    Says whether an exchange was stored.
    """
    turn = thought.turn
    stop = asyncio.Event()
    _stops[turn.id] = (turn.session_id, stop)
    if turn.stop_requested:
        stop.set()
    live = LiveTurn(turn, events)
    try:
        if turn.attempts > ATTEMPTS:
            raise errors.TurnInterrupted
        await live.join(thought.earlier)
        ports, policy = await in_thread(ports_for, turn)
        live.runs_under(policy, ports.prompts)
        given = await load(thought, policy)
        await _run(given, replace(ports, halt=stop), live)
        await live.finish(token)
        return True
    except errors.LeaseLost:
        log.info("turn %s was taken over by another process", turn.id)
    except DomainError as error:
        await live.fail(token, error)
    except Exception:
        log.exception("turn %s failed", turn.id)
        await live.fail(token, errors.TurnBroken())
    finally:
        _stops.pop(turn.id, None)
        await live.hush()
    return False


async def _run(given: TurnInput, ports: Ports, live: LiveTurn) -> None:
    async for event in run_turn(given, ports):
        await live.take(event)


async def load(thought: Thought, policy: ScopePolicy) -> TurnInput:
    """What a turn starts from: the message, the session's state, of its memory what can matter, and how long it rested."""
    state = await load_state(thought.turn)
    keys = (thought.message, *(slot.name for slot in state.slots if slot.open))
    memory = await in_thread(selectors.memory_of, session_id=thought.turn.session_id, keys=keys)
    return TurnInput(thought.message, state, policy, memory=memory, idle_seconds=thought.idle_seconds)


async def load_state(turn: Turn) -> ConversationState:
    """What the session remembers: the newer of the hot and the durable copy, belonging to the asking user."""
    mine = {"session_id": turn.session_id, "end_user_id": turn.session.end_user_id}
    version = await in_thread(selectors.state_version_of, **mine)
    hot = await session_cache.load(**mine)
    if hot is not None and hot.get("version") == version and (state := _readable(hot)):
        count(Counted.CACHE, result="hit")
        return state
    count(Counted.CACHE, result="miss" if hot is None else "stale")
    durable = await in_thread(selectors.state_of, **mine)
    return ConversationState.from_json(durable) if durable else ConversationState()


def _readable(copy: dict[str, Any]) -> ConversationState | None:
    """The hot copy as a state, or None when another release or a fault wrote it in another shape."""
    try:
        return ConversationState.from_json(copy)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        log.warning("session cache holds another shape: %s", type(error).__name__)
        return None


async def _leave_nothing_behind(session_id: UUID, owner: UUID | None, owners: set[UUID]) -> None:
    """A session may be deleted or change hands in mid-answer: what this process kept of it for `owners` must not stay."""
    if owner is None:
        await EventLog(session_id).end("session.deleted")
    for former in owners - {owner}:
        await session_cache.forget(end_user_id=former, session_id=session_id)


def _flush_seconds() -> float:
    """The more answers this process gives at once, the larger their events: it must not spend itself on events."""
    return min(FLUSH_MOST_SECONDS, max(FLUSH_SECONDS, FLUSH_SECONDS_EACH * len(_stops)))


class LiveTurn:
    """A turn while it is being answered: forwards what happens as numbered events and stores how it ends."""

    def __init__(self, turn: Turn, events: EventLog) -> None:
        self.turn = turn
        self._events = events
        self._text = ""
        self._sent = 0
        self._flushed_at = 0.0
        self._due: asyncio.TimerHandle | None = None
        self._flushing: asyncio.Task[None] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._end: TurnFinished | None = None
        self._earlier: tuple[Turn, ...] = ()
        self._versions: dict[str, Any] = {}

    def runs_under(self, policy: ScopePolicy, prompts: Prompts) -> None:
        """Remember which versions the turn runs under: they are stored with its outcome, whatever that is."""
        self._versions = {"policy_version": policy.version, "prompt_versions": prompts.versions}

    async def join(self, earlier: Sequence[Turn]) -> None:
        """Tell that earlier messages are answered together with this one."""
        self._earlier = tuple(earlier)
        await self._tell_joined()

    async def _tell_joined(self) -> None:
        for turn in self._earlier:
            await self._events.append("turn.joined", turn=str(turn.id), joined_to=str(self.turn.id))

    async def take(self, event: TurnEvent) -> None:
        match event:
            case QueryDecided():
                await self._emit("turn.query", **event.as_seen())
            case SourcesFound():
                await self._emit("turn.sources", citations=[citation_as_seen(c) for c in event.citations])
            case AnswerPiece():
                await self._piece(event)
            case TurnFinished():
                self._end = event

    async def _piece(self, piece: AnswerPiece) -> None:
        """Collect pieces for a moment: a few larger events cost less than one for each word."""
        self._text = self._text[: piece.at] + piece.text
        self._sent = min(self._sent, piece.at)
        loop = asyncio.get_running_loop()
        wait = self._flushed_at + _flush_seconds() - loop.time()
        if wait <= 0:
            await self._flush()
        elif self._due is None:  # the last words do not wait for the turn to be remembered
            self._due = loop.call_later(wait, self._overdue)

    def _overdue(self) -> None:
        self._flushing = asyncio.create_task(self._flush())

    async def _flush(self) -> None:
        """Send what has not been sent; one at a time, so that events keep the order of the text."""
        self._disarm()
        async with self._one_at_a_time:
            if self._sent < len(self._text):
                self._flushed_at = asyncio.get_running_loop().time()
                at, self._sent = self._sent, len(self._text)
                await self._emit("turn.delta", at=at, text=self._text[at:])

    def _disarm(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    async def hush(self) -> None:
        """Send nothing more of the text: the turn has ended here, whatever is left of it."""
        self._disarm()
        self._sent = len(self._text)
        async with self._one_at_a_time:  # what is on its way arrives before the end does
            pass

    async def finish(self, token: UUID) -> None:
        """Store first, then announce."""
        await self._flush()
        assert self._end is not None, "the pipeline ended without an outcome"
        result, state = finished(self._end), self._end.state
        await self._store(token, result, trace=self._end.trace, state=state)
        session = self.turn.session
        await session_cache.save(end_user_id=session.end_user_id, session_id=session.pk, data=state.to_json())
        kind = "turn.stopped" if self._end.stopped else "turn.completed"
        seen = ("answer", "citations", "engine", "notice", "kind")
        await self._emit_end(kind, **{name: result[name] for name in seen})

    async def fail(self, token: UUID, error: DomainError) -> None:
        await self.hush()
        result = broken(error)
        try:
            await self._store(token, result)
        except errors.LeaseLost:
            return
        await self._emit_end("turn.failed", **result["error"])

    async def _store(self, token: UUID, result: dict[str, Any], **more: Any) -> None:
        outcome = {**result, **self._versions}
        await in_thread(turn_finish, turn=self.turn, lease=token, result=outcome, **more)
        turn_observe(outcome, more.get("trace"))

    async def _emit_end(self, kind: str, /, **payload: Any) -> None:
        """What was joined is told again first: a message may be taken up before the door has told of its coming."""
        await self._tell_joined()
        await self._emit(kind, **payload)

    async def _emit(self, kind: str, /, **payload: Any) -> None:
        await self._events.append(kind, turn=str(self.turn.id), **payload)
