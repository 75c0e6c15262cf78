"""Reading keys for the console: programs' keys, keys that check identities, and widgets."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from admin_ui.components.marks import Mark
from kernel.clock import now
from kernel.errors import NotFound
from tenants.models import ApiKey, IdentityKey, WidgetKey
from tenants.selectors.identities import identity_keys
from tenants.selectors.keys import api_keys
from tenants.selectors.widget_keys import widget_keys

VALID = Mark("valid", "clean", "✓", "Accepted.")
EXPIRED = Mark("expired", "stale", "◐", "Refused since its expiry.")
RETIRED = Mark("retired", "stale", "◐", "Checks only what was signed before, for a day.")
REVOKED = Mark("revoked", "evicted", "×", "Refused for good.")
OFF = Mark("switched off", "evicted", "×", "Opens nowhere any more.")
ON = Mark("on", "clean", "✓", "Opens where it is embedded.")


@dataclass(frozen=True, slots=True)
class ApiKeyRow:
    key: ApiKey
    state: Mark


@dataclass(frozen=True, slots=True)
class IdentityKeyRow:
    key: IdentityKey
    state: Mark


@dataclass(frozen=True, slots=True)
class WidgetRow:
    key: WidgetKey
    state: Mark


def api_key_rows() -> list[ApiKeyRow]:
    """Those that count first, then the newest."""
    rows = [ApiKeyRow(key, _api_state(key)) for key in api_keys()]
    return sorted(rows, key=lambda row: row.state is REVOKED)


def identity_key_rows() -> list[IdentityKeyRow]:
    rows = [IdentityKeyRow(key, _identity_state(key)) for key in identity_keys()]
    return sorted(rows, key=lambda row: row.state is REVOKED)


def widget_rows() -> list[WidgetRow]:
    rows = [WidgetRow(key, OFF if key.revoked_at else ON) for key in widget_keys()]
    return sorted(rows, key=lambda row: row.state is OFF)


def access_widget(key_id: UUID) -> WidgetRow:
    """A widget of the current tenant. Raises `NotFound`."""
    key = WidgetKey.objects.filter(pk=key_id).first()
    if key is None:
        raise NotFound(what="widget")
    return WidgetRow(key, OFF if key.revoked_at else ON)


def _api_state(key: ApiKey) -> Mark:
    if key.revoked_at:
        return REVOKED
    return EXPIRED if key.expires_at and key.expires_at <= now() else VALID


def _identity_state(key: IdentityKey) -> Mark:
    if key.revoked_at:
        return REVOKED
    return RETIRED if key.retired_at else VALID
