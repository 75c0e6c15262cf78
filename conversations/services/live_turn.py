"""A turn while it is being answered, as those who follow it hear of it, and how its end is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from conversations.adapters import session_cache
from conversations.adapters.event_log import EventLog
from conversations.domain.policy import ScopePolicy
from conversations.domain.prompts import Prompts
from conversations.domain.turn_events import AnswerPiece, QueryDecided, SourcesFound, TurnEvent, TurnFinished
from conversations.models import Turn
from conversations.services.observing import turn_observe
from conversations.services.outcomes import broken, citation_as_seen, finished
from conversations.services.thoughts import Ended, turn_finish
from kernel.errors import DomainError
from tenants.threads import in_thread

FLUSH_SECONDS = 0.04
FLUSH_SECONDS_EACH, FLUSH_MOST_SECONDS = 0.0012, 0.25


def _flush_seconds(at_once: int) -> float:
    """The more answers a process gives at once, the larger their events: it must not spend itself on events."""
    return min(FLUSH_MOST_SECONDS, max(FLUSH_SECONDS, FLUSH_SECONDS_EACH * at_once))


class LiveTurn:
    """Forwards what happens as numbered events and stores how it ends. `at_once` says how many answers run here."""

    def __init__(self, turn: Turn, events: EventLog, *, at_once: Callable[[], int]) -> None:
        self.turn = turn
        self._at_once = at_once
        self._events = events
        self._text = ""
        self._sent = 0
        self._flushed_at = 0.0
        self._due: asyncio.TimerHandle | None = None
        self._flushing: asyncio.Task[None] | None = None
        self._sending: asyncio.Task[None] | None = None
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
                self._emit_soon("turn.query", **event.as_seen())
            case SourcesFound():
                self._emit_soon("turn.sources", citations=[citation_as_seen(c) for c in event.citations])
            case AnswerPiece():
                await self._piece(event)
            case TurnFinished():
                self._end = event

    async def _piece(self, piece: AnswerPiece) -> None:
        """Collect pieces for a moment: a few larger events cost less than one for each word."""
        self._text = self._text[: piece.at] + piece.text
        self._sent = min(self._sent, piece.at)
        loop = asyncio.get_running_loop()
        wait = self._flushed_at + _flush_seconds(self._at_once()) - loop.time()
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
            if self._sending is not None:
                await self._sending

    async def finish(self, token: UUID) -> Ended:
        """Store first, then announce. Raises `LeaseLost`."""
        await self._flush()
        assert self._end is not None, "the pipeline ended without an outcome"
        result = finished(self._end)
        ended = await self._store(token, result, trace=self._end.trace, state=self._end.state)
        assert ended.state is not None, "a state was given and not stored"
        session, kind = self.turn.session, "turn.stopped" if self._end.stopped else "turn.completed"
        seen = ("answer", "citations", "engine", "notice", "kind")
        await asyncio.gather(
            session_cache.save(end_user_id=session.end_user_id, session_id=session.pk, data=ended.state),
            self._emit_end(kind, **{name: result[name] for name in seen}),
        )
        return ended

    async def fail(self, token: UUID, error: DomainError) -> Ended:
        """Store that the turn failed, then announce it. Raises `LeaseLost`."""
        await self.hush()
        result = broken(error)
        ended = await self._store(token, result)
        await self._emit_end("turn.failed", **result["error"])
        return ended

    async def _store(self, token: UUID, result: dict[str, Any], **more: Any) -> Ended:
        outcome = {**result, **self._versions}
        more |= {"lease": token, "event_seq": self._events.seq}
        ended = await in_thread(turn_finish, turn=self.turn, result=outcome, **more)
        turn_observe(outcome, more.get("trace"))
        return ended

    async def _emit_end(self, kind: str, /, **payload: Any) -> None:
        """What was joined is told again first: a message may be taken up before the door has told of its coming."""
        await self._tell_joined()
        await self._emit(kind, **payload)

    def _emit_soon(self, kind: str, /, **payload: Any) -> None:
        """Beside the turn, which does not wait for it; what comes later comes after it."""
        self._sending = asyncio.create_task(self._append(self._sending, kind, payload))

    async def _emit(self, kind: str, /, **payload: Any) -> None:
        await self._append(self._sending, kind, payload)

    async def _append(self, before: asyncio.Task[None] | None, kind: str, payload: dict[str, Any]) -> None:
        if before is not None:
            await before
        await self._events.append(kind, turn=str(self.turn.id), **payload)
