"""Ways to say who calls: an API key, or the console's cookie with the page's token."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.middleware.csrf import CsrfViewMiddleware
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from tenants.errors import KeyRefused
from tenants.models import EndUser, Tenant, User
from tenants.rest.callers import Caller
from tenants.rest.errors import CrossSite, Unauthenticated
from tenants.selectors import membership_of
from tenants.selectors.keys import access_api_key, presented_tenant
from tenants.services.session_tokens import PREFIX, session_token_check, session_token_read

_SCHEME = "bearer "


def bearer_of(header: str) -> str:
    """What an `Authorization: Bearer …` header presents, empty when it presents nothing."""
    return header[len(_SCHEME) :].strip() if header.lower().startswith(_SCHEME) else ""


class BySessionToken(BaseAuthentication):
    """`Authorization: Bearer st_…`, below a tenant's address: an end user's own token, which chats and nothing else."""

    def authenticate(self, request: Request) -> tuple[Any, Caller] | None:
        presented = bearer_of(request.headers.get("Authorization", ""))
        tenant: Tenant | None = getattr(request, "tenant", None)
        if tenant is None or not presented.startswith(PREFIX):
            return None
        token = session_token_read(presented)
        end_user = session_token_check(token, login=request._request.session.session_key)
        return AnonymousUser(), Caller(tenant, end_user=end_user)

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class ByKey(BaseAuthentication):
    """`Authorization: Bearer ante_…`. A key of another tenant is refused as an unknown one is."""

    def authenticate(self, request: Request) -> tuple[Any, Caller] | None:
        presented = bearer_of(request.headers.get("Authorization", ""))
        if not presented:
            return None
        tenant: Tenant | None = getattr(request, "tenant", None)
        if tenant is None or presented_tenant(presented) != tenant.pk:
            raise KeyRefused
        return AnonymousUser(), Caller(tenant, key=access_api_key(presented))

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class _Csrf(CsrfViewMiddleware):
    def _reject(self, request: Any, reason: str) -> Any:
        return reason


class ByCookie(BaseAuthentication):
    """A person signed in below the tenant's address. What changes something needs the page's token beside it."""

    def authenticate(self, request: Request) -> tuple[Any, Caller] | None:
        user, tenant = getattr(request._request, "user", None), getattr(request, "tenant", None)
        if tenant is None or not isinstance(user, User) or not user.is_active:
            return None
        membership = membership_of(user)
        end_user = EndUser.objects.filter(user=user).first()
        if membership is None and end_user is None:
            return None
        _check_same_site(request)
        role = membership.role if membership else None
        return user, Caller(tenant, user=user, role=role, end_user=end_user)


def _check_same_site(request: Request) -> None:
    check = _Csrf(lambda request: None)  # type: ignore[arg-type]
    check.process_request(request._request)
    if reason := check.process_view(request._request, None, (), {}):  # type: ignore[arg-type]
        raise CrossSite(detail=str(reason))


def check_somebody(request: Request) -> None:
    """Raises `Unauthenticated` when nobody said who calls."""
    if not isinstance(request.auth, Caller):
        raise Unauthenticated


class _SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = BySessionToken
    name = "sessionToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        about = (
            "An end user's token (`st_…`), below `/t/<workspace>/api/v1/` only. It chats and nothing else."
        )
        return {"type": "http", "scheme": "bearer", "description": about}


class _KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = ByKey
    name = "apiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        about = "A key of the workspace: `Authorization: Bearer ante_…`. Its scopes say what it may do."
        return {"type": "http", "scheme": "bearer", "description": about}


class _CookieScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = ByCookie
    name = "cookie"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        about = (
            "Signed in, below `/t/<workspace>/api/v1/` only. What changes something also sends `X-CSRFToken`."
        )
        return {"type": "apiKey", "in": "cookie", "name": "antecedent_session", "description": about}
