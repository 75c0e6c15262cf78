"""Things that may happen once: remembered in Valkey until they could not happen again anyway."""

from __future__ import annotations

from hashlib import sha256

from tenants.adapters import shared_memory
from tenants.scoping import current_tenant_id


def take_once(kind: str, name: str, *, seconds: int) -> bool:
    """True for the first caller with this name in the current tenant, False for every other for `seconds`.

    Atomic across processes. Raises one of `shared_memory.OUTAGES`: then nobody knows.
    """
    digest = sha256(name.encode()).hexdigest()
    key = shared_memory.key_of(current_tenant_id(), "once", kind, digest)
    return bool(shared_memory.client().set(key, "1", nx=True, ex=max(1, seconds)))
