"""A tenant's own secrets, such as the key of its model provider: sealed at rest, never shown again."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import transaction

from kernel.errors import Invalid, NotFound
from tenants.models import TenantSecret
from tenants.sealing import seal, unseal
from tenants.services.audit import audit_record

LONGEST_NAME, LONGEST_VALUE = 60, 10_000
HINT = 4
SHORTEST_HINTED = 12
"""Of a shorter secret, four characters would tell too much."""


@transaction.atomic
def secret_set(*, name: str, value: str) -> TenantSecret:
    """Keep a secret under a name, in place of the one before. `hint` is its last characters. Raises `Invalid`."""
    _check(name, value)
    hint = value[-HINT:] if len(value) >= SHORTEST_HINTED else ""
    secret, is_new = TenantSecret.objects.update_or_create(
        name=name, defaults={"value": seal(value), "hint": hint}
    )
    audit_record("secret.set", target=name, hint=hint, replaced=not is_new)
    return secret


def secret_get(*, name: str) -> str:
    """The secret itself. Raises `NotFound`, or `SecretUnreadable` where its key is gone."""
    secret = TenantSecret.objects.filter(name=name).first()
    if secret is None:
        raise NotFound(what="secret")
    return unseal(secret.value)


@transaction.atomic
def secret_forget(*, name: str) -> None:
    """Delete a secret. Raises `NotFound`."""
    secret = TenantSecret.objects.select_for_update().filter(name=name).first()
    if secret is None:
        raise NotFound(what="secret")
    secret.delete()
    audit_record("secret.forgotten", target=name, hint=secret.hint)


def _check(name: str, value: str) -> None:
    try:
        validate_slug(name)
    except ValidationError:
        raise Invalid(reason="A secret's name is made of letters, digits, hyphens and underscores.") from None
    if len(name) > LONGEST_NAME:
        raise Invalid(reason=f"A secret's name has at most {LONGEST_NAME} characters.")
    if not 0 < len(value) <= LONGEST_VALUE:
        raise Invalid(reason=f"A secret has between 1 and {LONGEST_VALUE:,} characters.")
