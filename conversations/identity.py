"""Who chats: the end user behind a signed-in account, or behind a device token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.core import signing
from django.http import HttpRequest, HttpResponseBase

from tenants.access import Principal
from tenants.devices import DEVICE_COOKIE
from tenants.models import EndUser, Tenant, User
from tenants.selectors import belongs_here, principal_for
from tenants.services import end_user_for_account, end_user_for_device

DEVICE_SECONDS = 180 * 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Asker:
    """The end user of a connection and the account behind it, if any. Grants are looked up at each turn."""

    tenant: Tenant
    end_user: EndUser
    user: User | None

    @property
    def end_user_id(self) -> UUID:
        return self.end_user.pk

    def principal(self) -> Principal:
        """The grants of this moment."""
        return principal_for(tenant_id=self.tenant.pk, user=self.user, end_user=self.end_user)


def asker_of(tenant: Tenant, user: Any, device_cookie: str | None) -> Asker | None:
    """The account's end user, if it belongs here; else the device's, where visitors may chat; else nobody."""
    if user is not None and user.is_authenticated and belongs_here(user):
        return Asker(tenant, end_user_for_account(user=user), user)
    device = _device(tenant, device_cookie)
    if device is None or not tenant.anonymous_chat:
        return None
    return Asker(tenant, end_user_for_device(device=device), None)


def asker_of_request(request: HttpRequest) -> Asker | None:
    return asker_of(request.tenant, request.user, request.COOKIES.get(DEVICE_COOKIE))  # type: ignore[attr-defined]


def asker_of_scope(scope: dict[str, Any]) -> Asker | None:
    """The same for a socket (ASGI scope with `tenant`, `user` and `cookies`)."""
    return asker_of(scope["tenant"], scope.get("user"), scope.get("cookies", {}).get(DEVICE_COOKIE))


def signed_in_here(request: HttpRequest) -> bool:
    """Whether the request's account counts in this tenant; any other account is a visitor here."""
    return request.user.is_authenticated and belongs_here(request.user)


def remember_device(request: HttpRequest, response: HttpResponseBase) -> None:
    """Give a visitor's browser a signed token of this tenant, unless it has one."""
    tenant: Tenant = request.tenant  # type: ignore[attr-defined]
    if _device(tenant, request.COOKIES.get(DEVICE_COOKIE)) is None:
        token = signing.dumps(str(uuid4()), salt=_salt(tenant))
        response.set_cookie(
            DEVICE_COOKIE,
            token,
            max_age=DEVICE_SECONDS,
            path=f"/t/{tenant.slug}/",
            httponly=True,
            samesite="Lax",
            secure=request.is_secure(),
        )


def _device(tenant: Tenant, cookie: str | None) -> str | None:
    try:
        return signing.loads(cookie, salt=_salt(tenant), max_age=DEVICE_SECONDS) if cookie else None
    except signing.BadSignature:
        return None


def _salt(tenant: Tenant) -> str:
    """A token of one tenant means nothing to another."""
    return f"device:{tenant.pk}"
