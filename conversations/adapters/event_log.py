"""The numbered events of each session, in a Valkey stream.

A channel layer may drop messages, so it only rings the bell: whoever misses a number reads it here. Numbers are
consecutive within a session and never used twice, even when Valkey has lost everything: then they leap ahead, the
reader sees the gap and asks for a snapshot from the database.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

import valkey.asyncio as valkey
from channels.layers import get_channel_layer
from django.conf import settings

from conversations.adapters.outages import CACHE_OUTAGES
from kernel.json import json_text
from tenants.scoping import current_tenant_id

log = logging.getLogger(__name__)

KEPT_EVENTS = 5000
LIFE_SECONDS = 2 * 60 * 60
LEAP = 1000  # more than one turn emits after the number that the database knows

_APPEND = """
local last = tonumber(redis.call('get', KEYS[2]) or 0)
local floor = tonumber(ARGV[1])
if last == 0 and floor > 0 then floor = floor + tonumber(ARGV[4]) end
last = math.max(last, floor)
for given = 5, #ARGV do
  last = last + 1
  redis.call('xadd', KEYS[1], 'maxlen', '~', ARGV[2], string.format('%.0f-0', last), 'e', ARGV[given])
end
redis.call('set', KEYS[2], string.format('%.0f', last), 'ex', ARGV[3])
redis.call('expire', KEYS[1], ARGV[3])
return last
"""

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()


def client() -> Any:
    """One Valkey client per event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _clients:
        _clients[loop] = valkey.Valkey.from_url(
            settings.VALKEY_URL, decode_responses=True, socket_timeout=5, socket_connect_timeout=2
        )
    return _clients[loop]


async def close_client() -> None:
    """Close this event loop's client, where the loop is about to end."""
    if (open_client := _clients.pop(asyncio.get_running_loop(), None)) is not None:
        await open_client.aclose()


def group_of(session_id: UUID) -> str:
    """The channel group of a session, named so that no other tenant can share it."""
    return f"session.{current_tenant_id().hex}.{session_id.hex}"


async def session_moved(session_id: UUID, *, owner: UUID) -> None:
    """Send away whoever follows the session and is not its owner any longer."""
    message = {"type": "session.moved", "session": str(session_id), "owner": str(owner)}
    try:
        await get_channel_layer().group_send(group_of(session_id), message)
    except CACHE_OUTAGES as error:
        log.warning("followers of session %s were not told that it moved: %s", session_id, error)


class EventLog:
    """Appends and reads the events of one session of the current tenant. `floor` as in `Session.event_seq`."""

    def __init__(self, session_id: UUID, *, floor: int = 0) -> None:
        self.session_id = session_id
        self.seq = floor
        base = f"antecedent:{{{current_tenant_id()}:{session_id}}}"
        self.keys = (f"{base}:events", f"{base}:seq")

    async def append(self, kind: str, /, **payload: Any) -> None:
        """Number an event, keep it and ring the bell. A Valkey that is down costs live delivery, nothing else."""
        await self.append_all([(kind, payload)])

    async def append_all(self, told: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """The same for events that happened one after another: one trip, and one ring for all of them."""
        session = str(self.session_id)
        events = [{"type": kind, "session": session, **payload} for kind, payload in told]
        try:
            arguments = (self.seq, KEPT_EVENTS, LIFE_SECONDS, LEAP, *map(json_text, events))
            self.seq = int(await client().eval(_APPEND, 2, *self.keys, *arguments))
            numbered = [{"seq": seq, **event} for seq, event in enumerate(events, self.seq - len(events) + 1)]
            message = {"type": "session.events", "session": session, "events": numbered}
            await get_channel_layer().group_send(group_of(self.session_id), message)
        except CACHE_OUTAGES as error:
            kinds = ", ".join(kind for kind, _ in told)
            log.warning("events (%s) of session %s were not delivered: %s", kinds, self.session_id, error)

    async def end(self, kind: str) -> None:
        """Tell whoever follows that the session is gone, and forget its events."""
        try:
            self.seq = max(self.seq, int(await client().get(self.keys[1]) or 0))
            await self.append(kind)
            await client().delete(*self.keys)
        except CACHE_OUTAGES as error:
            log.warning("events of session %s were not cleared: %s", self.session_id, error)

    async def last(self) -> int:
        """The highest number used, or the floor."""
        try:
            return max(self.seq, int(await client().get(self.keys[1]) or 0))
        except CACHE_OUTAGES:
            return self.seq

    async def since(self, after: int) -> list[dict[str, Any]]:
        """The kept events above a number, in order."""
        try:
            entries = await client().xrange(self.keys[0], min=f"({after}-0")
        except CACHE_OUTAGES:
            return []
        return [{"seq": int(number.split("-")[0]), **json.loads(entry["e"])} for number, entry in entries]
