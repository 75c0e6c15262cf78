"""Writing API keys: what a program presents to act in a tenant."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import datetime
from uuid import UUID, uuid4

from django.db import transaction
from django.utils.timezone import is_aware

from kernel.clock import now
from kernel.errors import Invalid, NotFound
from kernel.names import check_line
from tenants.acting import current_actor
from tenants.models import ApiKey, Scope
from tenants.scoping import current_tenant_id
from tenants.selectors.keys import secret_hash
from tenants.services.audit import audit_record

NAME_LENGTH = 80
HINT_LENGTH = 4


@transaction.atomic
def api_key_create(
    *,
    name: str,
    scopes: Collection[str],
    per_minute: int | None = None,
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """A new key and the text that is shown once: only its hash is kept. Raises `Invalid`.

    `scopes` are those of `Scope`, at least one. `per_minute` is its own rate, else the tenant's default counts.
    """
    name = check_name(name)
    _check(scopes, per_minute, expires_at)
    key_id, secret = uuid4(), secrets.token_urlsafe(32)
    key = ApiKey.objects.create(
        id=key_id,
        name=name,
        hint=secret[-HINT_LENGTH:],
        secret_hash=secret_hash(secret),
        scopes=sorted(set(scopes)),
        per_minute=per_minute,
        expires_at=expires_at,
        created_by_id=_creator(),
    )
    audit_record("key.created", target=str(key.pk), name=name, scopes=key.scopes, expires_at=_iso(expires_at))
    return key, f"ante_{current_tenant_id().hex}_{key_id.hex}_{secret}"


@transaction.atomic
def api_key_revoke(*, key_id: UUID) -> ApiKey:
    """Refuse the key from now on. Revoking it again changes nothing. Raises `NotFound`."""
    key = ApiKey.objects.select_for_update().filter(pk=key_id).first()
    if key is None:
        raise NotFound(what="key")
    if key.revoked_at is None:
        key.revoked_at = now()
        key.save(update_fields=["revoked_at"])
        audit_record("key.revoked", target=str(key.pk), name=key.name)
    return key


def check_name(name: str) -> str:
    """A key's name, trimmed. Raises `Invalid`."""
    return check_line(name, what="The name", most=NAME_LENGTH)


def _check(scopes: Collection[str], per_minute: int | None, expires_at: datetime | None) -> None:
    if not scopes or isinstance(scopes, str) or not set(scopes) <= set(Scope.values):
        raise Invalid(reason=f"Scopes are one or more of: {', '.join(Scope.values)}.")
    if per_minute is not None and per_minute < 1:
        raise Invalid(reason="Requests a minute must be at least 1.")
    if expires_at is not None and (not is_aware(expires_at) or expires_at <= now()):
        raise Invalid(reason="The expiry must lie in the future and name its time zone.")


def _creator() -> int | None:
    actor = current_actor()
    return int(actor.id) if actor.kind == "user" else None


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
