"""How open sockets learn that their tenant was suspended."""

from __future__ import annotations

from uuid import UUID

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer


def suspended_group(tenant_id: UUID) -> str:
    """The channel group of everybody who is connected to a tenant."""
    return f"tenant.{tenant_id.hex}"


def sockets_close(tenant_id: UUID) -> None:
    """Tell every socket of a tenant to close. One that does not hear it is refused with its next command."""
    async_to_sync(_tell)(suspended_group(tenant_id))


async def _tell(group: str) -> None:
    await get_channel_layer().group_send(group, {"type": "tenant.suspended"})
