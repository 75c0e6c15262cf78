"""The Valkey of this installation, for counting what many processes do at once.

Scripts run whole and alone inside Valkey, so that what they decide is exact however many ask at once. Every key of a
tenant carries the tenant's id in braces, which keeps them together where Valkey is a cluster.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

import valkey
from django.conf import settings
from valkey.exceptions import ValkeyError

OUTAGES = (ValkeyError, OSError)
SECONDS = 1.0
"""How long a turn may wait for a Valkey that does not answer, before it goes on without."""


def client() -> Any:
    """One client for each process: it is safe between threads, and after a fork it connects anew."""
    return _client(settings.VALKEY_URL)


@lru_cache(maxsize=4)
def _client(url: str) -> Any:
    return valkey.Valkey.from_url(
        url, decode_responses=True, socket_timeout=SECONDS, socket_connect_timeout=SECONDS
    )


@lru_cache(maxsize=64)
def _script(url: str, text: str) -> Any:
    return _client(url).register_script(text)


def run(script: str, keys: Sequence[str], *arguments: object) -> Any:
    """Run a Lua script with its keys and arguments. Raises one of `OUTAGES`."""
    return _script(settings.VALKEY_URL, script)(keys=list(keys), args=list(arguments))


def key_of(tenant_id: UUID, *parts: str) -> str:
    """A key that belongs to one tenant."""
    return ":".join((f"antecedent:{{{tenant_id}}}", *parts))


def forget_tenant(tenant_id: UUID) -> int:
    """Delete every key of a tenant; returns how many. Raises one of `OUTAGES`."""
    gone = 0
    for key in client().scan_iter(match=f"antecedent:{{{tenant_id}*", count=1000):
        gone += int(client().delete(key))
    return gone
