"""Following a whole session by its numbered events, for a tab that has no socket."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing
from uuid import UUID

from conversations.adapters.event_log import EventLog
from conversations.services.following import GONE, news, rings
from kernel.json import JsonObject
from tenants.standing import CHANGED

MOVED = "session.moved"


async def session_events(
    session_id: UUID, *, after: int, owner: UUID, grounds: Collection[str] = ()
) -> AsyncGenerator[JsonObject | None]:
    """Events above a number as they come, and None after each silence, to its end.

    `grounds` are the groups of what lets the reader in: `standing.changed` says that one of them has changed. It ends
    with the session (`session.deleted`), or with `session.moved` when it has become another person's.
    """
    log, seq = EventLog(session_id, floor=after), after
    async with aclosing(rings(session_id, also=grounds)) as bell:
        async for message in bell:
            if message and message["type"] == CHANGED:
                yield message
                continue
            if message and message["type"] == MOVED and message["owner"] != str(owner):
                yield {"type": MOVED}
                return
            for event in await news(log, seq, message.get("events") if message else None):
                seq = event["seq"]
                yield event
                if event["type"] == GONE:
                    return
            if message is None:
                yield None
