"""Checking identities that a tenant signs: JSON Web Tokens (RFC 7519), by the rules of RFC 8725.

The key decides the algorithm, never the token. What is wrong with a token is said only when its signature is right:
to everybody else every token is wrong in the same way.
"""

from __future__ import annotations

import logging
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
from django.db.models import Q, QuerySet

from kernel.clock import now
from kernel.json import JsonObject
from tenants.errors import IdentityExpired, IdentityRefused
from tenants.models import Algorithm, IdentityKey, Tenant
from tenants.scoping import current_tenant_id
from tenants.sealing import unseal

log = logging.getLogger(__name__)

LONGEST_TOKEN = 8192
LONGEST_LIFE = timedelta(hours=24)
LEEWAY = timedelta(seconds=60)
# A retired key checks what it signed before until the last of that has expired.
GRACE = LONGEST_LIFE
LONGEST_SUBJECT = 190
LONGEST_NAME = 120
MOST_AUDIENCES = 100
_UNVERIFIED = "it could not be verified with a key of this workspace"
_UNREADABLE = (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError)


@dataclass(frozen=True, slots=True)
class Claims:
    """What a checked identity says. `audiences` is None where it does not speak of them; `jti` may be empty."""

    key: IdentityKey
    subject: str
    issued_at: datetime
    expires_at: datetime
    name: str | None
    audiences: tuple[str, ...] | None
    jti: str
    once: bool


def identity_keys() -> QuerySet[IdentityKey]:
    """The current tenant's keys: those that are not revoked first, retired ones among them, then the newest."""
    rows = IdentityKey.objects.annotate(over=Q(revoked_at__isnull=False))
    return rows.order_by("over", "-created_at", "pk")


def access_identity(token: str) -> Claims:
    """The claims of an identity that the current tenant signed. Raises `IdentityRefused`, `IdentityExpired`."""
    key = _key_of(token)
    return _claims(key, _verified(token, key))


def _key_of(token: str) -> IdentityKey:
    """The key that the token names and that still counts."""
    header = _header(token)
    kid = header.get("kid")
    named = Q(kid=kid) if isinstance(kid, str) and len(kid) <= 80 and "\x00" not in kid else Q(pk=None)
    counting = Q(revoked_at=None) & (Q(retired_at=None) | Q(retired_at__gt=now() - GRACE))
    key = IdentityKey.objects.filter(named & counting).first()
    if key is None:
        log.info("an identity names no key that counts")
        raise IdentityRefused(reason=_UNVERIFIED)
    return key


def _header(token: str) -> JsonObject:
    """The token's header, unverified. Only the one canonical spelling of a token is read."""
    try:
        if len(token) > LONGEST_TOKEN or token.count(".") != 2 or not all(map(_canonical, token.split("."))):
            raise ValueError
        header: JsonObject = jwt.get_unverified_header(token)
        if {"crit", "b64"} & header.keys():
            raise ValueError
    except _UNREADABLE as error:
        raise IdentityRefused(reason=_UNVERIFIED) from error
    return header


def _canonical(segment: str) -> bool:
    """Base64 readers forgive stray characters and leftover bits: the same token would have many texts."""
    data = urlsafe_b64decode(segment.encode("ascii") + b"=" * (-len(segment) % 4))
    return urlsafe_b64encode(data).rstrip(b"=").decode() == segment


def _verified(token: str, key: IdentityKey) -> JsonObject:
    material = unseal(key.material) if key.algorithm == Algorithm.HS256 else key.material
    try:
        payload: JsonObject = jwt.decode(
            token,
            material,
            algorithms=[key.algorithm],
            audience=_expected_audiences(key),
            leeway=LEEWAY,
            options={"require": ["sub", "exp", "iat", "aud"]},
        )
    except jwt.ExpiredSignatureError as error:
        raise IdentityExpired from error
    except jwt.MissingRequiredClaimError as error:
        raise IdentityRefused(reason=f"the claim {error.claim!r} is missing") from error
    except jwt.ImmatureSignatureError as error:
        raise IdentityRefused(reason="it is not valid yet: compare the clocks") from error
    except jwt.InvalidAudienceError as error:
        raise IdentityRefused(reason="its `aud` is not this workspace") from error
    except _UNREADABLE as error:
        log.info("an identity was refused: %s", type(error).__name__)
        raise IdentityRefused(reason=_UNVERIFIED) from error
    return payload


def _expected_audiences(key: IdentityKey) -> list[str]:
    if key.expected_aud:
        return [key.expected_aud]
    tenant = Tenant.objects.get(pk=current_tenant_id())
    return [tenant.slug, str(tenant.pk)]


def _claims(key: IdentityKey, payload: JsonObject) -> Claims:
    """The payload as values. Its signature is right, so what is wrong with it may be said."""
    issued, expires = _moment(payload, "iat"), _moment(payload, "exp")
    if not timedelta() < expires - issued <= LONGEST_LIFE:
        raise IdentityRefused(reason="it may live for 24 hours at most, from `iat` to `exp`")
    if key.retired_at is not None and issued > key.retired_at + LEEWAY:
        raise IdentityRefused(reason="its key was retired before it was signed")
    once = payload.get("once", False)
    if not isinstance(once, bool):
        raise IdentityRefused(reason="`once` must be true or false")
    return Claims(
        key=key,
        subject=_text(payload, "sub", LONGEST_SUBJECT, needed=True),
        issued_at=issued,
        expires_at=expires,
        name=_name(payload),
        audiences=_audiences(payload),
        jti=_text(payload, "jti", 200),
        once=once,
    )


def _moment(payload: JsonObject, claim: str) -> datetime:
    seconds = payload[claim]
    try:
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise TypeError
        return datetime.fromtimestamp(seconds, UTC)
    except (TypeError, ValueError, OverflowError, OSError) as error:
        raise IdentityRefused(reason=f"`{claim}` must be seconds since 1970 (UTC)") from error


def _text(payload: JsonObject, claim: str, longest: int, *, needed: bool = False) -> str:
    text = payload.get(claim, "")
    if (
        not isinstance(text, str)
        or len(text) > longest
        or not text.isprintable()
        or (needed and not text.strip())
    ):
        raise IdentityRefused(reason=f"`{claim}` must be a printable text of at most {longest} characters")
    return text


def _name(payload: JsonObject) -> str | None:
    """A name for people: cut rather than refused."""
    name: Any = payload.get("name")
    if name is None:
        return None
    if not isinstance(name, str):
        raise IdentityRefused(reason="`name` must be a text")
    return "".join(filter(str.isprintable, " ".join(name.split())))[:LONGEST_NAME]


def _audiences(payload: JsonObject) -> tuple[str, ...] | None:
    if "audiences" not in payload:
        return None
    names = payload["audiences"]
    fits = isinstance(names, list) and len(names) <= MOST_AUDIENCES
    if not fits or not all(
        isinstance(name, str) and len(name) <= 120 and name.isprintable() for name in names
    ):
        told = f"`audiences` must be a list of at most {MOST_AUDIENCES} names"
        raise IdentityRefused(reason=told)
    return tuple(dict.fromkeys(names))
