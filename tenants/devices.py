"""An anonymous visitor's device: a random name, signed for one tenant.

The hosted page keeps the token in a cookie, the widget's frame in its own storage. Whoever holds it is that visitor.
"""

from __future__ import annotations

from uuid import UUID, uuid4

from django.core import signing

DEVICE_COOKIE = "antecedent_device"
DEVICE_SECONDS = 180 * 24 * 60 * 60


def device_token(tenant_id: UUID, device: str | None = None) -> str:
    """A signed token for a device of this tenant, a new one unless named."""
    return signing.dumps(device or str(uuid4()), salt=_salt(tenant_id))


def device_of(tenant_id: UUID, token: str | None) -> str | None:
    """The device that the token names, or None: forged, another tenant's, older than `DEVICE_SECONDS`."""
    if not token:
        return None
    try:
        device = signing.loads(token, salt=_salt(tenant_id), max_age=DEVICE_SECONDS)
    except (signing.BadSignature, ValueError):  # ValueError: not even text that can be sent
        return None
    return device if isinstance(device, str) else None


def _salt(tenant_id: UUID) -> str:
    """A token of one tenant means nothing to another."""
    return f"device:{tenant_id}"
