"""Writing widget keys: making a widget, where it may be embedded, how it looks, switching it off."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import transaction

from kernel.clock import now
from kernel.errors import Invalid, NotFound
from tenants.look import look_checked
from tenants.models import WidgetKey
from tenants.origins import origin_checked
from tenants.scoping import current_tenant_id
from tenants.services.audit import audit_record
from tenants.services.keys import check_name
from tenants.standing import Ground, standing_changed

MOST_ORIGINS = 50


@transaction.atomic
def widget_key_create(
    *,
    name: str,
    allowed_origins: Iterable[str] = (),
    look: Any = None,
    identified_only: bool = False,
    one_time_identities: bool = False,
) -> WidgetKey:
    """A widget with a public key of its own. Without origins it opens on our own pages only. Raises `Invalid`."""
    key = WidgetKey.objects.create(
        name=check_name(name),
        public_key=f"wk_{current_tenant_id().hex}_{secrets.token_urlsafe(16)}",
        allowed_origins=_origins(allowed_origins),
        look=look_checked(look or {}),
        identified_only=identified_only,
        one_time_identities=one_time_identities,
    )
    audit_record("widget_key.created", target=str(key.pk), name=key.name, origins=key.allowed_origins)
    return key


def widget_key_rename(*, key_id: UUID, name: str) -> WidgetKey:
    return _change(key_id, name=check_name(name))


def widget_key_origins_set(*, key_id: UUID, allowed_origins: Iterable[str]) -> WidgetKey:
    """Where it may be embedded from now on (`tenants.origins` says what an origin is). Raises `Invalid`."""
    return _change(key_id, allowed_origins=_origins(allowed_origins))


def widget_key_look_set(*, key_id: UUID, look: Any) -> WidgetKey:
    """How it looks from now on, following the schema `tenants.look.LOOK`. Raises `Invalid`."""
    return _change(key_id, look=look_checked(look))


def widget_key_visitors_set(*, key_id: UUID, identified_only: bool, one_time_identities: bool) -> WidgetKey:
    """Whom it lets in: visitors or only known people, and these by one-time identities or not."""
    return _change(key_id, identified_only=identified_only, one_time_identities=one_time_identities)


def widget_key_revoke(*, key_id: UUID) -> WidgetKey:
    """Switch the widget off for good: its open chats close. Again changes nothing."""
    key = _locked(key_id)
    return key if key.revoked_at else _change(key_id, action="revoked", revoked_at=now())


@transaction.atomic
def _change(key_id: UUID, *, action: str = "changed", **fields: Any) -> WidgetKey:
    key = _locked(key_id)
    changed = {name: value for name, value in fields.items() if getattr(key, name) != value}
    if not changed:
        return key
    for name, value in changed.items():
        setattr(key, name, value)
    key.save(update_fields=list(changed))
    told = {} if action == "revoked" else {"changed": changed}
    audit_record(f"widget_key.{action}", target=str(key.pk), name=key.name, **told)
    standing_changed(Ground.WIDGET_KEY, key.pk)
    return key


@transaction.atomic
def _locked(key_id: UUID) -> WidgetKey:
    key = WidgetKey.objects.select_for_update().filter(pk=key_id).first()
    if key is None:
        raise NotFound(what="widget key")
    return key


def _origins(origins: Iterable[str]) -> list[str]:
    checked = list(dict.fromkeys(origin_checked(origin) for origin in origins))
    if len(checked) > MOST_ORIGINS:
        raise Invalid(reason=f"A widget has at most {MOST_ORIGINS} origins.")
    return checked
