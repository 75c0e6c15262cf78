"""Session tokens: what a chat frame shows on every door, instead of a cookie.

A token is signed and readable: for whom (tenant by its signature, end user), through which widget, by which key's
identity, on which login. It lives an hour and is fetched anew before. What it stands on is looked up at every use, so
that it ends at once with its widget, its identity's key, its login, its person or its tenant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.core import signing
from django.db.models import BooleanField, Exists, QuerySet, Value
from django.utils.crypto import constant_time_compare

from kernel.clock import now
from kernel.json import JsonObject
from tenants.errors import (
    IdentityRequired,
    SessionTokenExpired,
    SessionTokenRefused,
    WidgetKeyRevoked,
)
from tenants.models import EndUser, EndUserKind, IdentityKey, WidgetKey
from tenants.scoping import current_tenant_id
from tenants.selectors.standing import check_person

LIFE = timedelta(hours=1)
# How long tokens may be renewed from each other before the tenant has to vouch for the person again.
LONGEST_SITTING = timedelta(hours=24)
PREFIX = "st_"
LONGEST = 2048
_TEXT = re.compile(r"st_[A-Za-z0-9_.-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class SessionToken:
    """What a token says. `login` is a digest of the login's key, empty for a visitor or a signed identity."""

    end_user: UUID
    widget_key: UUID | None
    identity_key: UUID | None
    login: str
    began_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token's text, to be handed out, and what it says."""

    text: str
    token: SessionToken


def session_token_issue(
    *,
    end_user: EndUser,
    widget_key: WidgetKey | None = None,
    identity_key: IdentityKey | None = None,
    login: str = "",
) -> IssuedToken:
    """A token for this person of the current tenant. `login` is the key of the login session it hangs on."""
    moment = now()
    token = SessionToken(
        end_user=end_user.pk,
        widget_key=widget_key.pk if widget_key else None,
        identity_key=identity_key.pk if identity_key else None,
        login=_digest(login),
        began_at=moment,
        expires_at=moment + LIFE,
    )
    return IssuedToken(_signed(token), token)


def session_token_renew(*, token: SessionToken) -> IssuedToken:
    """Another one with the same bonds. An identity's must be vouched for again in time (`SessionTokenExpired`)."""
    ends = now() + LIFE
    if token.identity_key is not None:
        ends = min(ends, token.began_at + LONGEST_SITTING)
        if ends <= now():
            raise SessionTokenExpired
    renewed = replace(token, expires_at=ends)
    return IssuedToken(_signed(renewed), renewed)


def session_token_read(text: str) -> SessionToken:
    """What a token of the current tenant says, from its text alone. Raises `SessionTokenRefused` or `…Expired`."""
    if len(text) > LONGEST or not _TEXT.fullmatch(text):
        raise SessionTokenRefused
    try:
        token = _from_json(_signer().unsign_object(text.removeprefix(PREFIX)))
    except (signing.BadSignature, ValueError, KeyError, TypeError, OverflowError) as error:
        raise SessionTokenRefused from error
    if token.expires_at <= now():
        raise SessionTokenExpired
    return token


@dataclass(frozen=True, slots=True)
class Standing:
    """Whom a token stands for at this moment, and when it ends by itself."""

    end_user: EndUser
    ends_at: datetime


def session_token_check(token: SessionToken, *, login: str | None = None) -> EndUser:
    """The token's end user, if all that it stands on still counts at this moment. Raises as `session_token_stands`."""
    return session_token_stands(token, login=login).end_user


def session_token_stands(token: SessionToken, *, login: str | None = None) -> Standing:
    """The same with the moment at which it ends by itself: asked before every command.

    `login` is the key of the login session that the same browser shows. Raises `SessionTokenExpired`,
    `SessionTokenRefused`, `WidgetKeyRevoked`, `IdentityRequired`, `SignInRequired`, `TwoFactorRequired`,
    `TenantSuspended`.
    """
    if token.expires_at <= now():
        raise SessionTokenExpired
    end_user = _standing(token)
    stay = check_person(end_user, login=_login_shown(token, login or ""))
    return Standing(end_user, min(token.expires_at, stay or token.expires_at))


def _standing(token: SessionToken) -> EndUser:
    """The end user, in one query with the keys that the token hangs on."""
    stands: dict[str, Any] = {
        "widget_stands": _exists(WidgetKey.objects.filter(revoked_at=None), token.widget_key),
        "identity_stands": _exists(IdentityKey.objects.filter(revoked_at=None), token.identity_key),
        "welcome": _exists(WidgetKey.objects.filter(identified_only=False), token.widget_key),
    }
    people = EndUser.objects.select_related("tenant", "user").annotate(**stands)
    end_user: Any = people.filter(pk=token.end_user).first()
    if end_user is None or not end_user.identity_stands:
        raise SessionTokenRefused
    if not end_user.widget_stands:
        raise WidgetKeyRevoked
    if end_user.kind == EndUserKind.ANONYMOUS and not end_user.welcome:
        raise IdentityRequired
    found: EndUser = end_user
    return found


def _exists(keys: QuerySet[Any], key_id: UUID | None) -> Any:
    """Whether the key is among these; a token that hangs on none stands."""
    return Exists(keys.filter(pk=key_id)) if key_id else Value(True, output_field=BooleanField())


def _login_shown(token: SessionToken, login: str) -> str | None:
    """The login that the token hangs on, empty where the browser shows another, None where it hangs on none."""
    if not token.login:
        return None
    return login if constant_time_compare(_digest(login), token.login) else ""


def _digest(login: str) -> str:
    """A login in a token: the key itself is a secret of the browser's cookie."""
    return sha256(f"session token {login}".encode()).hexdigest()[:32] if login else ""


def _signer() -> signing.Signer:
    """A token of one tenant means nothing to another. Dots, for what stands in a WebSocket's subprotocols."""
    return signing.Signer(salt=f"session-token:{current_tenant_id()}", sep=".")


def _signed(token: SessionToken) -> str:
    return PREFIX + _signer().sign_object(_to_json(token))


def _to_json(token: SessionToken) -> JsonObject:
    return {
        "e": token.end_user.hex,
        "w": token.widget_key.hex if token.widget_key else "",
        "i": token.identity_key.hex if token.identity_key else "",
        "l": token.login,
        "b": int(token.began_at.timestamp()),
        "x": int(token.expires_at.timestamp()),
    }


def _from_json(payload: JsonObject) -> SessionToken:
    return SessionToken(
        end_user=UUID(payload["e"]),
        widget_key=UUID(payload["w"]) if payload["w"] else None,
        identity_key=UUID(payload["i"]) if payload["i"] else None,
        login=payload["l"],
        began_at=datetime.fromtimestamp(payload["b"], UTC),
        expires_at=datetime.fromtimestamp(payload["x"], UTC),
    )
