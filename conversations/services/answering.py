"""Answering the waiting turns of a session: one process at a time, in order, and again when that process dies."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction

from conversations import errors, selectors
from conversations.adapters import session_cache
from conversations.adapters.event_log import EventLog
from conversations.adapters.outages import OUTAGES, database_comes_back
from conversations.domain.memory.values import Memory
from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Ports
from conversations.domain.state import ConversationState
from conversations.domain.turn import TurnInput, run_turn
from conversations.models import Turn
from conversations.services.leases import lease_release, lease_renew
from conversations.services.live_turn import LiveTurn
from conversations.services.thoughts import Ended, Thought, thought_begin
from kernel.errors import DomainError
from kernel.log_ids import logged_as
from kernel.observed import Counted, count
from kernel.traced import span
from tenants.threads import in_thread

log = logging.getLogger(__name__)

ATTEMPTS = 3
HEARTBEAT_SECONDS = 1.0

PortsFor = Callable[[Turn], tuple[Ports, ScopePolicy]]
AfterTurn = Callable[[UUID], object]
_stops: dict[UUID, asyncio.Event] = {}


def stop_now(turn_id: UUID) -> None:
    """Tell an answer that runs in this process to end where it is."""
    if stop := _stops.get(turn_id):
        stop.set()


async def answer_session(
    session_id: UUID, *, ports_for: PortsFor, after_turn: AfterTurn | None = None
) -> None:
    """Answer everything that waits in a session. Returns at once when another process does so already.

    `after_turn` is called in a thread with the session's id when an exchange has been stored: there the door queues
    the memory work. Whatever it raises is logged and costs the turn nothing.
    """
    owners: set[UUID] = set()
    more_wait = True
    while more_wait and (begun := await in_thread(thought_begin, session_id=session_id)):
        events = EventLog(session_id, floor=begun.event_seq)
        ended: Ended | None = None
        try:
            if begun.thought:
                owners.add(begun.thought.turn.session.end_user_id)
                ended = await _answer_and_tell(begun.thought, begun.token, events, ports_for, after_turn)
        finally:
            if ended:  # the lease was given back with the outcome
                more_wait = ended.more_wait
            else:
                more_wait = await in_thread(_given_back, session_id, begun.token, await events.last())
    if owners:
        await _leave_nothing_behind(session_id, owners)


@transaction.atomic
def _given_back(session_id: UUID, token: UUID, event_seq: int) -> bool:
    """Give the lease back; then whether a turn waits.

    Whoever tried for the lease before had stored a turn that is seen here; whoever tries now waits for our commit.
    """
    lease_release(session_id=session_id, token=token, event_seq=event_seq)
    return selectors.session_waits(session_id=session_id)


async def _answer_and_tell(
    thought: Thought, token: UUID, events: EventLog, ports_for: PortsFor, after_turn: AfterTurn | None
) -> Ended | None:
    session_id = thought.turn.session_id
    with logged_as(session=session_id, turn=thought.turn.id), span("turn"):
        ended = await _answer(thought, token, events, ports_for)
        if ended and ended.state is not None:
            await _told(after_turn, session_id)
        return ended


async def _told(after_turn: AfterTurn | None, session_id: UUID) -> None:
    try:
        if after_turn is not None:
            await in_thread(after_turn, session_id)
    except Exception:
        log.exception("work after a turn of session %s was not queued; the sweep finds it", session_id)


async def _held(turn: Turn, token: UUID) -> bool | None:
    """As `lease_renew`; a database that is away or full for a moment has taken no lease from anybody."""
    try:
        return await in_thread(lease_renew, session_id=turn.session_id, token=token, turn_id=turn.pk)
    except OUTAGES as outage:
        if not database_comes_back(outage):
            raise
        return False


@asynccontextmanager
async def _renewed(turn: Turn, token: UUID, stop: asyncio.Event) -> AsyncIterator[None]:
    """Hold the lease while the block runs, hear of a stop that another process was asked for, and stop with the lease."""

    async def beat() -> None:
        await asyncio.sleep(HEARTBEAT_SECONDS)  # the lease is fresh, and most turns are shorter
        while (is_stopped := await _held(turn, token)) is not None:
            if is_stopped:
                stop.set()
            await asyncio.sleep(HEARTBEAT_SECONDS)
        stop.set()  # taken over or deleted: nobody reads on

    heart = asyncio.create_task(beat())
    try:
        yield
    finally:
        heart.cancel()


async def _answer(thought: Thought, token: UUID, events: EventLog, ports_for: PortsFor) -> Ended | None:
    """One thought, from its stored messages to its stored outcome: whatever goes wrong ends in a clear state.

    None when another process has taken the session over. Raises only what an outage of the database raises: the turn
    stays as it is then, and is taken up again.
    """
    turn = thought.turn
    stop = _stops[turn.id] = asyncio.Event()
    if turn.stop_requested:
        stop.set()
    live = LiveTurn(turn, events, at_once=lambda: len(_stops))
    try:
        async with _renewed(turn, token, stop):
            return await _to_its_end(thought, token, live, stop, ports_for)
    except errors.LeaseLost:
        log.info("session %s was taken over or deleted", turn.session_id)
        return None
    finally:
        _stops.pop(turn.id, None)
        await live.hush()


async def _to_its_end(
    thought: Thought, token: UUID, live: LiveTurn, stop: asyncio.Event, ports_for: PortsFor
) -> Ended:
    turn = thought.turn
    try:
        if turn.attempts > ATTEMPTS:
            raise errors.TurnInterrupted
        live.join(thought.earlier)
        (ports, policy), hot = await asyncio.gather(
            in_thread(ports_for, turn),
            session_cache.load(session_id=turn.session_id, end_user_id=turn.session.end_user_id),
        )
        live.runs_under(policy, ports.prompts)
        given = await _load(thought, policy, await load_state(turn, thought.state_version, hot))
        await _run(given, replace(ports, halt=stop), live)
        return await live.finish(token)
    except errors.LeaseLost:
        raise
    except DomainError as error:
        return await live.fail(token, error)
    except Exception as error:
        if database_comes_back(error):
            raise
        log.exception("turn %s failed", turn.id)
        return await live.fail(token, errors.TurnBroken())


async def _run(given: TurnInput, ports: Ports, live: LiveTurn) -> None:
    async for event in run_turn(given, ports):
        live.take(event)


async def _load(thought: Thought, policy: ScopePolicy, state: ConversationState) -> TurnInput:
    """What a turn starts from: the message, the session's state, of its memory what can matter, and how long it rested."""
    keys = (thought.message, *(slot.name for slot in state.slots if slot.open))
    session, memory = thought.turn.session, Memory()
    if session.memory_turn:
        memory = await in_thread(selectors.memory_of, session_id=session.pk, keys=keys)
    return TurnInput(thought.message, state, policy, memory=memory, idle_seconds=thought.idle_seconds)


async def load_state(turn: Turn, version: int, hot: dict[str, Any] | None) -> ConversationState:
    """What the session remembers: the newer of the hot and the durable copy, belonging to the asking user."""
    if hot is not None and hot.get("version") == version and (state := _readable(hot)):
        count(Counted.CACHE, result="hit")
        return state
    count(Counted.CACHE, result="miss" if hot is None else "stale")
    if not version:
        return ConversationState()
    mine = {"session_id": turn.session_id, "end_user_id": turn.session.end_user_id}
    durable = await in_thread(selectors.state_of, **mine)
    return ConversationState.from_json(durable) if durable else ConversationState()


def _readable(copy: dict[str, Any]) -> ConversationState | None:
    """The hot copy as a state, or None when another release or a fault wrote it in another shape."""
    try:
        return ConversationState.from_json(copy)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        log.warning("session cache holds another shape: %s", type(error).__name__)
        return None


async def _leave_nothing_behind(session_id: UUID, owners: set[UUID]) -> None:
    """A session may be deleted or change hands in mid-answer: what this process kept of it for `owners` must not stay."""
    owner = await in_thread(selectors.session_owner, session_id=session_id)
    if owner is None:
        await EventLog(session_id).end("session.deleted")
    for former in owners - {owner}:
        await session_cache.forget(end_user_id=former, session_id=session_id)
