"""A turn while it is being answered, as those who follow it hear of it, and how its end is stored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from conversations.adapters import session_cache
from conversations.adapters.event_log import EventLog
from conversations.adapters.outages import database_comes_back
from conversations.domain.policy import ScopePolicy
from conversations.domain.prompts import Prompts
from conversations.domain.turn_events import AnswerPiece, QueryDecided, SourcesFound, TurnEvent, TurnFinished
from conversations.models import Turn
from conversations.services.observing import turn_observe
from conversations.services.outcomes import broken, citation_as_seen, finished
from conversations.services.thoughts import Ended, turn_finish
from kernel.errors import DomainError
from tenants.threads import in_thread

log = logging.getLogger(__name__)

STORE_AGAIN_SECONDS, STORE_TIMES = 1.0, 60
"""How often the end of a turn is stored again while the database is away or full: nobody pays the model twice."""
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
        self._untold: list[tuple[str, dict[str, Any]]] = []
        self._telling: asyncio.Task[None] | None = None
        self._end: TurnFinished | None = None
        self._earlier: tuple[Turn, ...] = ()
        self._versions: dict[str, Any] = {}

    def runs_under(self, policy: ScopePolicy, prompts: Prompts) -> None:
        """Remember which versions the turn runs under: they are stored with its outcome, whatever that is."""
        self._versions = {"policy_version": policy.version, "prompt_versions": prompts.versions}

    def join(self, earlier: Sequence[Turn]) -> None:
        """Tell that earlier messages are answered together with this one."""
        self._earlier = tuple(earlier)
        self._tell_joined()

    def _tell_joined(self) -> None:
        for turn in self._earlier:
            self._tell("turn.joined", turn=str(turn.id), joined_to=str(self.turn.id))

    def take(self, event: TurnEvent) -> None:
        match event:
            case QueryDecided():
                self._tell("turn.query", **event.as_seen())
            case SourcesFound():
                self._tell("turn.sources", citations=[citation_as_seen(c) for c in event.citations])
            case AnswerPiece():
                self._piece(event)
            case TurnFinished():
                self._end = event

    def _piece(self, piece: AnswerPiece) -> None:
        """Collect pieces for a moment: a few larger events cost less than one for each word."""
        self._text = self._text[: piece.at] + piece.text
        self._sent = min(self._sent, piece.at)
        loop = asyncio.get_running_loop()
        wait = self._flushed_at + _flush_seconds(self._at_once()) - loop.time()
        if wait <= 0:
            self._flush()
        elif self._due is None:  # the last words do not wait for the turn to be remembered
            self._due = loop.call_later(wait, self._flush)

    def _flush(self) -> None:
        """Tell of the text what has not been told."""
        self._disarm()
        if self._sent < len(self._text):
            self._flushed_at = asyncio.get_running_loop().time()
            at, self._sent = self._sent, len(self._text)
            self._tell("turn.delta", at=at, text=self._text[at:])

    def _disarm(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    async def hush(self) -> None:
        """Tell nothing more of the text: the turn has ended here, whatever is left of it."""
        self._disarm()
        self._sent = len(self._text)
        await self._told()  # what is on its way arrives before the end does

    async def flush(self) -> None:
        """Tell what there is of the text, and wait until it was told."""
        self._flush()
        await self._told()

    async def finish(self, token: UUID) -> Ended:
        """Store first, then announce. Raises `LeaseLost`."""
        self._flush()  # told beside the storing
        assert self._end is not None, "the pipeline ended without an outcome"
        result = finished(self._end)
        ended = await self._store(token, result, trace=self._end.trace, state=self._end.state)
        assert ended.state is not None, "a state was given and not stored"
        session, kind = self.turn.session, "turn.stopped" if self._end.stopped else "turn.completed"
        seen = ("answer", "citations", "engine", "notice", "kind")
        await asyncio.gather(
            session_cache.save(end_user_id=session.end_user_id, session_id=session.pk, data=ended.state),
            self._tell_end(kind, **{name: result[name] for name in seen}),
        )
        return ended

    async def fail(self, token: UUID, error: DomainError) -> Ended:
        """Store that the turn failed, then announce it. Raises `LeaseLost`."""
        await self.hush()
        result = broken(error)
        ended = await self._store(token, result)
        await self._tell_end("turn.failed", **result["error"])
        return ended

    async def _store(self, token: UUID, result: dict[str, Any], **more: Any) -> Ended:
        outcome = {**result, **self._versions}
        more |= {"lease": token, "event_seq": self._events.seq}
        ended = await self._stored(result=outcome, **more)
        turn_observe(outcome, more.get("trace"))
        return ended

    async def _stored(self, **values: Any) -> Ended:
        """Tried again through an outage of the database. Whoever has the lease by then stores: `LeaseLost` otherwise."""
        for tries in range(1, STORE_TIMES + 1):
            try:
                return await in_thread(turn_finish, turn=self.turn, again=tries > 1, **values)
            except Exception as error:
                if tries == STORE_TIMES or not database_comes_back(error):
                    raise
                log.warning("the end of turn %s is stored again: %s", self.turn.id, error)
            await asyncio.sleep(STORE_AGAIN_SECONDS)
        raise AssertionError("the last try raises or returns")

    async def _tell_end(self, kind: str, /, **payload: Any) -> None:
        """What was joined is told again first: a message may be taken up before the door has told of its coming."""
        self._tell_joined()
        self._tell(kind, **payload)
        await self._told()

    def _tell(self, kind: str, /, **payload: Any) -> None:
        """Beside the turn, which does not wait for it. What happens while something is on its way goes together."""
        self._untold.append((kind, {"turn": str(self.turn.id), **payload}))
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell_all())

    async def _tell_all(self) -> None:
        while self._untold:
            told, self._untold = self._untold, []
            await self._events.append_all(told)

    async def _told(self) -> None:
        if self._telling is not None:
            await self._telling
