"""What an open connection stands on, and how it hears that some of that has changed.

A socket or a stream outlives the request that opened it, so it joins the group of each of its grounds: its workspace,
its person, its widget, the key of its identity, its login. Whoever changes one rings once the change is stored, and the
connection looks anew whether it still counts. A bell may be missed: connections look by themselves as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from hashlib import sha256

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

CHANGED = "standing.changed"


class Ground(StrEnum):
    """What lets a connection in; the key is an id, for a login the key of its session."""

    TENANT = "tenant"
    END_USER = "end_user"
    WIDGET_KEY = "widget_key"
    IDENTITY_KEY = "identity_key"
    LOGIN = "login"


def standing_group(ground: Ground, key: object) -> str:
    """The channel group of everybody who stands on this. A login's key is a secret, so keys stand there as digests."""
    return f"standing.{ground}.{sha256(str(key).encode()).hexdigest()[:32]}"


def standing_changed(ground: Ground, *keys: object) -> None:
    """Have the connections that stand on these look anew, after the transaction. A bell that fails is logged."""
    groups = [standing_group(ground, key) for key in keys]
    if groups:
        transaction.on_commit(partial(_ring, groups), robust=True)


def _ring(groups: Sequence[str]) -> None:
    async_to_sync(_tell)(groups)


async def _tell(groups: Sequence[str]) -> None:
    layer = get_channel_layer()
    for group in groups:
        await layer.group_send(group, {"type": CHANGED})
