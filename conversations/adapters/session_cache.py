"""The hot copy of what a session remembers: in Valkey, for two hours, under tenant, user and session.

Losing it costs a read from the database and nothing else. The version decides which of two copies is newer, inside
Valkey, so that a slow writer never replaces a newer copy; whose it is stands beside it and is checked when read.
"""

from __future__ import annotations

import logging
from typing import Any
from uuid import UUID

from conversations.adapters.event_log import EventLog, client
from conversations.adapters.outages import CACHE_OUTAGES
from kernel.json import json_read, json_text
from tenants.scoping import current_tenant_id

log = logging.getLogger(__name__)
LIFE_SECONDS = 2 * 60 * 60

_SAVE = """
local held = redis.call('type', KEYS[1])['ok']
if held == 'hash' then
  local version = tonumber(redis.call('hget', KEYS[1], 'version'))
  if version and version > tonumber(ARGV[1]) then return 0 end
elseif held ~= 'none' then
  redis.call('del', KEYS[1])
end
redis.call('hset', KEYS[1], 'version', ARGV[1], 'owner', ARGV[2], 'data', ARGV[3])
redis.call('expire', KEYS[1], ARGV[4])
return 1
"""


def _owner(end_user_id: UUID, session_id: UUID) -> str:
    return f"{current_tenant_id()}:{end_user_id}:{session_id}"


def _key(end_user_id: UUID, session_id: UUID) -> str:
    return f"antecedent:{{{current_tenant_id()}:{session_id}}}:state:{end_user_id}"


async def load(*, end_user_id: UUID, session_id: UUID) -> dict[str, Any] | None:
    """The hot copy, or None where there is none, it cannot be read, or it is somebody else's."""
    try:
        owner, data = await client().hmget(_key(end_user_id, session_id), "owner", "data")
        if owner != _owner(end_user_id, session_id):
            return None
        state = json_read(data)
    except (*CACHE_OUTAGES, ValueError, TypeError) as error:
        log.warning("session cache not read: %s", type(error).__name__)
        return None
    return state if isinstance(state, dict) else None


async def save(*, end_user_id: UUID, session_id: UUID, data: dict[str, Any]) -> bool:
    """Keep this copy unless a newer one is there. Says whether it was kept."""
    try:
        arguments = (data["version"], _owner(end_user_id, session_id), json_text(data), LIFE_SECONDS)
        return bool(await client().eval(_SAVE, 1, _key(end_user_id, session_id), *arguments))
    except CACHE_OUTAGES as error:
        log.warning("session cache not written: %s", error)
        return False


async def forget(*, end_user_id: UUID, session_id: UUID) -> bool:
    """Delete the hot copy. False when Valkey could not be reached."""
    return await _delete(_key(end_user_id, session_id))


async def erase(*, end_user_id: UUID, session_id: UUID) -> bool:
    """Delete all content that Valkey holds of a session: hot copy and events. False when it could not be reached."""
    stream, _numbers = EventLog(session_id).keys
    return await _delete(_key(end_user_id, session_id), stream)


async def _delete(*keys: str) -> bool:
    try:
        await client().delete(*keys)
    except CACHE_OUTAGES as error:
        log.warning("session cache not cleared: %s", error)
        return False
    return True
