"""Reading keys for the console: programs' keys, keys that check identities, and widgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Page

from admin_ui.components.marks import Mark
from admin_ui.selectors.paging import page_of_rows
from kernel.clock import now
from kernel.errors import NotFound
from tenants.models import ApiKey, IdentityKey, WidgetKey
from tenants.selectors.identities import identity_keys
from tenants.selectors.keys import api_keys
from tenants.selectors.widget_keys import widget_keys

PER_PAGE = 25
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


def api_keys_page(number: str) -> Page[Any]:
    """Of `ApiKeyRow`s: those that are not revoked first, then the newest."""
    return page_of_rows(api_keys(), lambda key: ApiKeyRow(key, _api_state(key)), PER_PAGE, number)


def identity_keys_page(number: str) -> Page[Any]:
    """Of `IdentityKeyRow`s: those that are not revoked first, then the newest."""
    return page_of_rows(
        identity_keys(), lambda key: IdentityKeyRow(key, _identity_state(key)), PER_PAGE, number
    )


def widgets_page(number: str) -> Page[Any]:
    """Of `WidgetRow`s: those that are on first, then by name."""
    return page_of_rows(widget_keys(), _widget_row, PER_PAGE, number)


def access_widget(key_id: UUID) -> WidgetRow:
    """A widget of the current tenant. Raises `NotFound`."""
    key = WidgetKey.objects.filter(pk=key_id).first()
    if key is None:
        raise NotFound(what="widget")
    return _widget_row(key)


def _widget_row(key: WidgetKey) -> WidgetRow:
    return WidgetRow(key, OFF if key.revoked_at else ON)


def _api_state(key: ApiKey) -> Mark:
    if key.revoked_at:
        return REVOKED
    return EXPIRED if key.expires_at and key.expires_at <= now() else VALID


def _identity_state(key: IdentityKey) -> Mark:
    if key.revoked_at:
        return REVOKED
    return RETIRED if key.retired_at else VALID
