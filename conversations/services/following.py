"""Following a turn to its end, for whoever waits for it or reads along."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing, suppress
from typing import Any
from uuid import UUID

from channels.layers import get_channel_layer

from conversations.adapters.event_log import EventLog, group_of
from conversations.models import UNFINISHED, Turn, TurnState
from kernel.json import JsonObject
from tenants.threads import in_thread

# The bell may stay silent (Valkey is away, an answering process died): then the stored turn is looked at.
LOOK_SECONDS = 2.0
ENDS = {"turn.completed", "turn.stopped", "turn.failed"}
GONE = "session.deleted"


async def turn_events(turn: Turn, *, after: int) -> AsyncGenerator[JsonObject]:
    """What happens to a turn, in the events of the chat protocol, to its end or to that of its session.

    `after` is a number that the session had used when the turn was not yet there. A message that is answered together
    with a later one is followed into that one. Where events were lost, the end is told from the stored turn.
    """
    carriers, seq = {str(turn.pk)}, after
    log = EventLog(turn.session_id, floor=after)
    async with aclosing(rings(turn.session_id)) as bell:
        async for message in bell:
            for event in await news(log, seq, message.get("events") if message else None):
                seq = event["seq"]
                if event["type"] == "turn.joined" and event["turn"] in carriers:
                    carriers = {event["joined_to"]}
                if event["type"] == GONE or event.get("turn") in carriers:
                    yield event
                if event["type"] == GONE or (event["type"] in ENDS and event["turn"] in carriers):
                    return
            if message is None and (end := await in_thread(_stored_end, turn.pk)):
                yield end
                return


async def turn_finished(turn: Turn, *, after: int, seconds: float) -> Turn | None:
    """The turn as it ended, the one that carries its answer; as it is when time runs out; None when it was deleted."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), aclosing(turn_events(turn, after=after)) as events:
            async for _ in events:
                pass
    return await in_thread(turn_stored, turn.pk)


def turn_stored(turn_id: UUID) -> Turn | None:
    turn = Turn.objects.select_related("joined_to", "session").filter(pk=turn_id).first()
    return (turn.joined_to or turn) if turn is not None else None


async def news(log: EventLog, seq: int, rung: Sequence[JsonObject] | None) -> list[JsonObject]:
    """The next events are at hand when they are those that rang; whatever was missed is read from the log."""
    if rung is None:
        return await log.since(seq)
    fresh = [event for event in rung if event["seq"] > seq]
    return await log.since(seq) if fresh and fresh[0]["seq"] > seq + 1 else fresh


async def rings(session_id: UUID, *, also: Collection[str] = ()) -> AsyncGenerator[JsonObject | None]:
    """First None at once, then each message to who follows the session or is in the groups `also`; None after a silence."""
    layer: Any = get_channel_layer()
    channel, groups = await layer.new_channel(), (group_of(session_id), *also)
    for group in groups:
        await layer.group_add(group, channel)
    # A receive that is cancelled gives its channel back: one is kept waiting across the silences.
    waiting = asyncio.ensure_future(layer.receive(channel))
    try:
        yield None
        while True:
            await asyncio.wait({waiting}, timeout=LOOK_SECONDS)
            if not waiting.done():
                yield None
                continue
            message = waiting.result()
            waiting = asyncio.ensure_future(layer.receive(channel))
            yield message
    finally:
        for group in groups:
            await layer.group_discard(group, channel)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting


def _stored_end(turn_id: UUID) -> JsonObject | None:
    turn = turn_stored(turn_id)
    if turn is None:
        return {"type": GONE}
    if turn.state in UNFINISHED:
        return None
    return end_of(turn)


def end_of(turn: Turn) -> JsonObject:
    """The last event of a finished turn."""
    told = {
        "type": "turn.failed" if turn.state == TurnState.FAILED else f"turn.{turn.state}",
        "turn": str(turn.pk),
    }
    if turn.state == TurnState.FAILED:
        return told | (turn.error or {})
    seen = ("answer", "citations", "engine", "notice", "kind")
    return told | {name: getattr(turn, name) for name in seen}
