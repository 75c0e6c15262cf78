"""Reading API keys: whom a presented key belongs to, and whether it counts."""

from __future__ import annotations

import re
from datetime import timedelta
from hashlib import sha256
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.crypto import constant_time_compare

from kernel.clock import now
from tenants.errors import KeyExpired, KeyRefused, KeyRevoked, TenantSuspended
from tenants.models import ApiKey
from tenants.scoping import current_tenant_id

# ante_<tenant id>_<key id>_<256-bit secret>
PRESENTED = re.compile(
    r"ante_(?P<tenant>[0-9a-f]{32})_(?P<key>[0-9a-f]{32})_(?P<secret>[A-Za-z0-9_-]{43})", re.ASCII
)
USE_NOTED_EVERY = timedelta(minutes=1)


def presented_tenant(presented: str) -> UUID:
    """The tenant that a key names, from its text alone. Raises `KeyRefused`."""
    return UUID(_parts(presented)["tenant"])


def access_api_key(presented: str) -> ApiKey:
    """The key of the current tenant that this text is, with its tenant; its use is noted once a minute at most.

    Raises `KeyRefused`, the same for every text that is no key here. Only to a holder of the right secret it is
    `KeyRevoked`, `KeyExpired` or `TenantSuspended`.
    """
    parts = _parts(presented)
    if UUID(parts["tenant"]) != current_tenant_id():
        raise KeyRefused
    key = ApiKey.objects.select_related("tenant").filter(pk=UUID(parts["key"])).first()
    if not constant_time_compare(secret_hash(parts["secret"]), key.secret_hash if key else "-" * 64):
        raise KeyRefused
    assert key is not None
    _check_current(key)
    _note_use(key)
    return key


def api_keys() -> QuerySet[ApiKey]:
    """The current tenant's keys: those that are not revoked first, then the newest."""
    rows = ApiKey.objects.select_related("created_by").annotate(over=Q(revoked_at__isnull=False))
    return rows.order_by("over", "-created_at", "pk")


def secret_hash(secret: str) -> str:
    """What is kept of a secret. It has 256 random bits, so a plain hash cannot be searched backwards."""
    return sha256(secret.encode()).hexdigest()


def _parts(presented: str) -> re.Match[str]:
    parts = PRESENTED.fullmatch(presented)
    if parts is None:
        raise KeyRefused
    return parts


def _check_current(key: ApiKey) -> None:
    if key.revoked_at is not None:
        raise KeyRevoked
    if key.expires_at is not None and key.expires_at <= now():
        raise KeyExpired
    if key.tenant.suspended_at is not None:
        raise TenantSuspended


def _note_use(key: ApiKey) -> None:
    moment = now()
    if key.last_used_at is None or key.last_used_at < moment - USE_NOTED_EVERY:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=moment)
        key.last_used_at = moment
