"""Answering the waiting turns of a session: one process at a time, in order, and again when that process dies."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

from conversations import errors, selectors
from conversations.adapters import session_cache
from conversations.adapters.event_log import EventLog
from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Ports
from conversations.domain.state import ConversationState
from conversations.domain.turn import TurnInput, run_turn
from conversations.domain.turn_events import AnswerPiece, QueryDecided, SourcesFound, TurnEvent, TurnFinished
from conversations.models import Turn
from conversations.services.leases import lease_acquire, lease_release, lease_renew
from conversations.services.outcomes import broken, citation_as_seen, finished
from conversations.services.turns import turn_begin, turn_finish
from kernel.errors import DomainError
from tenants.threads import in_thread

log = logging.getLogger(__name__)

ATTEMPTS = 3
HEARTBEAT_SECONDS = 1.0
FLUSH_SECONDS = 0.04

PortsFor = Callable[[Turn], tuple[Ports, ScopePolicy]]
_stops: dict[UUID, asyncio.Event] = {}


def stop_now(turn_id: UUID) -> None:
    """Tell an answer that runs in this process to end where it is."""
    if event := _stops.get(turn_id):
        event.set()


async def answer_session(session_id: UUID, *, ports_for: PortsFor) -> None:
    """Answer everything that waits in a session. Returns at once when another process does so already."""
    while token := await in_thread(lease_acquire, session_id=session_id):
        events = await in_thread(_event_log, session_id)
        try:
            async with _renewed(session_id, token):
                while turn := await in_thread(selectors.turn_next, session_id=session_id):
                    await _answer(turn, token, events, ports_for)
        finally:
            last = await events.last()
            await in_thread(lease_release, session_id=session_id, token=token, event_seq=last)
        # A turn may have been accepted while the lease was being given back.
        if not await in_thread(selectors.turn_next, session_id=session_id):
            return


def _event_log(session_id: UUID) -> EventLog:
    return EventLog(session_id, floor=selectors.event_seq_of(session_id=session_id))


@asynccontextmanager
async def _renewed(session_id: UUID, token: UUID) -> AsyncIterator[None]:
    """Hold the lease while the block runs, and hear stops that another process was asked for."""

    async def beat() -> None:
        while await in_thread(lease_renew, session_id=session_id, token=token):
            await asyncio.sleep(HEARTBEAT_SECONDS)
            for turn_id in list(_stops):
                if await in_thread(selectors.stop_requested, turn_id=turn_id):
                    stop_now(turn_id)

    heart = asyncio.create_task(beat())
    try:
        yield
    finally:
        heart.cancel()


async def _answer(turn: Turn, token: UUID, events: EventLog, ports_for: PortsFor) -> None:
    """One turn, from its stored message to its stored outcome. Whatever goes wrong ends in a clear state."""
    stop = _stops.setdefault(turn.id, asyncio.Event())
    live = LiveTurn(turn, events)
    try:
        if turn.attempts >= ATTEMPTS:
            raise errors.TurnInterrupted
        await in_thread(turn_begin, turn_id=turn.id)
        ports, policy = await in_thread(ports_for, turn)
        given = TurnInput(turn.message, await load_state(turn), policy)
        await _run(given, replace(ports, halt=stop), live)
        await live.finish(token)
    except errors.LeaseLost:
        log.info("turn %s was taken over by another process", turn.id)
    except DomainError as error:
        await live.fail(token, error)
    except Exception:
        log.exception("turn %s failed", turn.id)
        await live.fail(token, errors.TurnBroken())
    finally:
        _stops.pop(turn.id, None)


async def _run(given: TurnInput, ports: Ports, live: LiveTurn) -> None:
    async for event in run_turn(given, ports):
        await live.take(event)


async def load_state(turn: Turn) -> ConversationState:
    """What the session remembers: the newer of the hot and the durable copy, belonging to the asking user."""
    end_user_id = turn.session.end_user_id
    version = await in_thread(selectors.state_version_of, session_id=turn.session_id)
    hot = await session_cache.load(end_user_id=end_user_id, session_id=turn.session_id)
    if hot is not None and hot["version"] == version:
        return ConversationState.from_json(hot)
    durable = await in_thread(selectors.state_of, session_id=turn.session_id)
    return ConversationState.from_json(durable) if durable else ConversationState()


class LiveTurn:
    """A turn while it is being answered: forwards what happens as numbered events and stores how it ends."""

    def __init__(self, turn: Turn, events: EventLog) -> None:
        self.turn = turn
        self._events = events
        self._text = ""
        self._sent = 0
        self._flushed_at = 0.0
        self._end: TurnFinished | None = None

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
        moment = asyncio.get_running_loop().time()
        if moment - self._flushed_at >= FLUSH_SECONDS:
            self._flushed_at = moment
            await self._flush()

    async def _flush(self) -> None:
        if self._sent < len(self._text):
            await self._emit("turn.delta", at=self._sent, text=self._text[self._sent :])
            self._sent = len(self._text)

    async def finish(self, token: UUID) -> None:
        """Store first, then announce."""
        await self._flush()
        assert self._end is not None, "the pipeline ended without an outcome"
        result, state = finished(self._end), self._end.state.to_json()
        await self._store(token, result, trace=self._end.trace, state=state)
        session = self.turn.session
        await session_cache.save(end_user_id=session.end_user_id, session_id=session.pk, data=state)
        kind = "turn.stopped" if self._end.stopped else "turn.completed"
        seen = ("answer", "citations", "engine", "notice", "kind")
        await self._emit(kind, **{name: result[name] for name in seen})

    async def fail(self, token: UUID, error: DomainError) -> None:
        result = broken(error)
        try:
            await self._store(token, result)
        except errors.LeaseLost:
            return
        await self._emit("turn.failed", **result["error"])

    async def _store(self, token: UUID, result: dict[str, Any], **more: Any) -> None:
        await in_thread(turn_finish, turn=self.turn, lease=token, result=result, **more)

    async def _emit(self, kind: str, /, **payload: Any) -> None:
        await self._events.append(kind, turn=str(self.turn.id), **payload)
