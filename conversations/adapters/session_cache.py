"""The hot copy of what a session remembers: in Valkey, for two hours, namespaced by tenant and session.

Losing it costs a read from the database and nothing else; the version decides which copy is newer.
"""

from __future__ import annotations

import json
import logging
from typing import Any
from uuid import UUID

from valkey.exceptions import ValkeyError

from conversations.adapters.event_log import client
from tenants.scoping import current_tenant_id

log = logging.getLogger(__name__)
LIFE_SECONDS = 2 * 60 * 60


def _key(end_user_id: UUID, session_id: UUID) -> str:
    return f"antecedent:{{{current_tenant_id()}:{session_id}}}:state:{end_user_id}"


async def load(*, end_user_id: UUID, session_id: UUID) -> dict[str, Any] | None:
    try:
        data = await client().get(_key(end_user_id, session_id))
    except (ValkeyError, OSError) as error:
        log.warning("session cache not read: %s", error)
        return None
    return json.loads(data) if data else None


async def save(*, end_user_id: UUID, session_id: UUID, data: dict[str, Any]) -> None:
    try:
        await client().set(_key(end_user_id, session_id), json.dumps(data), ex=LIFE_SECONDS)
    except (ValkeyError, OSError) as error:
        log.warning("session cache not written: %s", error)


async def forget(*, end_user_id: UUID, session_id: UUID) -> None:
    try:
        await client().delete(_key(end_user_id, session_id))
    except (ValkeyError, OSError) as error:
        log.warning("session cache not cleared: %s", error)
