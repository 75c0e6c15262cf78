"""Who chats: the end user behind a session token, a signed-in account, or a device token.

Whoever shows a session token is who it says and nobody else: where it is refused, no cookie stands in for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase

from tenants.access import Principal
from tenants.devices import DEVICE_COOKIE, DEVICE_SECONDS, device_of, device_token
from tenants.errors import SessionTokenRefused, SignInRequired
from tenants.models import EndUser, Tenant, User
from tenants.selectors import belongs_here, principal_for
from tenants.selectors.members import check_two_factor
from tenants.selectors.standing import check_person
from tenants.services import end_user_for_account, end_user_for_device
from tenants.services.session_tokens import (
    PREFIX,
    SessionToken,
    session_token_check,
    session_token_read,
    session_token_stands,
)
from tenants.standing import Ground, standing_group

# Browsers cannot set headers on a socket, and an address ends up in logs: the token comes as a subprotocol.
SUBPROTOCOL = "antecedent"
TOKEN_SUBPROTOCOL = "token."  # noqa: S105 (a prefix, not a token)


@dataclass(frozen=True, slots=True)
class Asker:
    """The end user of a connection, the account behind it, if any, and what it came with.

    `token` is the session token, `login` the key of the login session. Grants are looked up at each turn.
    """

    tenant: Tenant
    end_user: EndUser
    user: User | None
    token: SessionToken | None = None
    login: str | None = None

    @property
    def end_user_id(self) -> UUID:
        return self.end_user.pk

    def principal(self) -> Principal:
        """The grants of this moment."""
        return principal_for(tenant_id=self.tenant.pk, user=self.user, end_user=self.end_user)


def asker_of(
    tenant: Tenant, user: Any, device_cookie: str | None, *, login: str | None = None
) -> Asker | None:
    """The account's end user, if it belongs here; else the device's, where visitors may chat; else nobody."""
    if user is not None and user.is_authenticated and belongs_here(user):
        return Asker(tenant, end_user_for_account(user=user), user, login=login)
    device = device_of(tenant.pk, device_cookie)
    if device is None or not tenant.anonymous_chat:
        return None
    return Asker(tenant, end_user_for_device(device=device), None)


def asker_of_token(tenant: Tenant, text: str, *, login: str | None = None) -> Asker:
    """Whom a session token stands for. Raises what `session_token_read` and `session_token_check` raise."""
    token = session_token_read(text)
    end_user = session_token_check(token, login=login)
    user = end_user.user if token.login else None
    return Asker(tenant, end_user, user, token, login if token.login else None)


def asker_of_request(request: HttpRequest) -> Asker | None:
    """Who asks by `Authorization: Bearer st_…`, else by cookie. Raises for a session token that does not count."""
    tenant: Tenant = request.tenant  # type: ignore[attr-defined]
    login = request.session.session_key
    if (token := token_of_header(request.headers.get("Authorization", ""))) is not None:
        return asker_of_token(tenant, token, login=login)
    return asker_of(tenant, request.user, request.COOKIES.get(DEVICE_COOKIE), login=login)


def asker_of_scope(scope: dict[str, Any]) -> Asker | None:
    """The same for a socket (ASGI scope with `tenant`, `user`, `session` and `cookies`)."""
    session = scope.get("session")
    login = session.session_key if session is not None else None
    if (token := token_of_scope(scope)) is not None:
        return asker_of_token(scope["tenant"], token, login=login)
    asker = asker_of(
        scope["tenant"], scope.get("user"), scope.get("cookies", {}).get(DEVICE_COOKIE), login=login
    )
    if asker is not None and session is not None:
        check_two_factor(asker.tenant, asker.user, session)
    return asker


def token_of_header(header: str) -> str | None:
    """The session token of an `Authorization` header, None where it holds none."""
    scheme, _, presented = header.partition(" ")
    presented = presented.strip()
    return presented if scheme.lower() == "bearer" and presented.startswith(PREFIX) else None


def token_of_scope(scope: dict[str, Any]) -> str | None:
    """The session token of a socket: the subprotocol `token.st_…`, or for programs the `Authorization` header."""
    offered: Iterable[str] = scope.get("subprotocols", ())
    tokens = [one.removeprefix(TOKEN_SUBPROTOCOL) for one in offered if one.startswith(TOKEN_SUBPROTOCOL)]
    if len(tokens) > 1:
        raise SessionTokenRefused
    header = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
    return tokens[0] if tokens else token_of_header(header)


def check_asker(asker: Asker) -> datetime | None:
    """When what somebody came with ends by itself, as far as that is known.

    Raises when it no longer counts: token, keys behind it, login, second factor, visit, person, workspace.
    """
    if asker.token is not None:
        return session_token_stands(asker.token, login=asker.login).ends_at
    end_user = EndUser.objects.select_related("tenant", "user").filter(pk=asker.end_user_id).first()
    if end_user is None:
        raise SignInRequired
    return check_person(end_user, login=None if asker.user is None else asker.login or "")


def standing_groups(asker: Asker) -> frozenset[str]:
    """The channel groups in which a connection of this person hears that it should look whether it still counts."""
    grounds: dict[Ground, object] = {Ground.TENANT: asker.tenant.pk, Ground.END_USER: asker.end_user_id}
    if asker.user is not None and asker.login:
        grounds[Ground.LOGIN] = asker.login
    if asker.token is not None and asker.token.widget_key is not None:
        grounds[Ground.WIDGET_KEY] = asker.token.widget_key
    if asker.token is not None and asker.token.identity_key is not None:
        grounds[Ground.IDENTITY_KEY] = asker.token.identity_key
    return frozenset(standing_group(ground, key) for ground, key in grounds.items())


def asker_renewed(asker: Asker, text: str) -> Asker:
    """The same person through the same widget with a fresh token. Raises `SessionTokenRefused` for any other."""
    renewed = asker_of_token(asker.tenant, text, login=asker.login)
    old, new = asker.token, renewed.token
    if old is None or new is None or (old.end_user, old.widget_key) != (new.end_user, new.widget_key):
        raise SessionTokenRefused
    return renewed


def signed_in_here(request: HttpRequest) -> bool:
    """Whether the request's account counts in this tenant; any other account is a visitor here."""
    return request.user.is_authenticated and belongs_here(request.user)


def from_own_page(request: HttpRequest) -> bool:
    """Whether a page of this very host sent the request. Programs send no `Origin` and count as that."""
    origin = request.headers.get("Origin", "")
    return not origin or urlsplit(origin).netloc == request.get_host()


def remember_device(request: HttpRequest, response: HttpResponseBase) -> None:
    """Give a visitor's browser a signed token of this tenant, unless it has one."""
    tenant: Tenant = request.tenant  # type: ignore[attr-defined]
    if device_of(tenant.pk, request.COOKIES.get(DEVICE_COOKIE)) is None:
        response.set_cookie(
            DEVICE_COOKIE,
            device_token(tenant.pk),
            max_age=DEVICE_SECONDS,
            path=f"/t/{tenant.slug}/",
            httponly=True,
            samesite="Lax",
            secure=request.is_secure(),
        )
