"""What every request passes: the tenant of its address, security headers, one error shape."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Any, cast
from uuid import uuid4

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed

from config.errors import error_response, is_for_programs
from config.prefix import tenant_slug
from kernel.errors import DomainError
from kernel.log_ids import logged_as
from kernel.traced import NOTHING, Kind, Span, span
from tenants.acting import VISITOR, Actor, acting_as, staff_actor, user_actor
from tenants.errors import KeyRefused
from tenants.models import Tenant
from tenants.rest.authentication import bearer_of
from tenants.rest.errors import Unauthenticated
from tenants.scoping import no_scope, tenant_scope
from tenants.selectors import tenant_by_slug
from tenants.selectors.keys import presented_tenant
from tenants.selectors.people import account_actor

PROBED = ("/healthz", "/readyz", "/metrics")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})


class NothingToShow(DomainError):
    """This address shows nothing and does not know the method {method}: forms and programs send something to it."""

    code = "method_not_allowed"
    http_status = 405


Handler = Callable[[HttpRequest], Any]


class _Both:
    """Middleware that serves sync and async handlers alike: by itself it hands on what `_told` makes of an answer."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self._async(request)
        return self._told(request, self.get_response(request))

    async def _async(self, request: HttpRequest) -> HttpResponseBase:
        return self._told(request, await self.get_response(request))

    def _told(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        return response


class NamedRequest(_Both):
    """Gives a request the name that its log lines carry and its answer tells: the proxy's own where it sends one."""

    HEADER = "X-Request-ID"
    SHAPE = re.compile(r"[\w.:-]{1,64}", re.ASCII)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self._async(request)
        with logged_as(request=(name := self._name(request))):
            response = cast(HttpResponseBase, self.get_response(request))
        response.headers[self.HEADER] = name
        return response

    async def _async(self, request: HttpRequest) -> HttpResponseBase:
        with logged_as(request=(name := self._name(request))):
            response = cast(HttpResponseBase, await self.get_response(request))
        response.headers[self.HEADER] = name
        return response

    def _name(self, request: HttpRequest) -> str:
        sent = request.headers.get(self.HEADER, "")
        return sent if self.SHAPE.fullmatch(sent) else uuid4().hex


class TracedRequest(_Both):
    """A request is a trace: which page by its pattern, never the address itself, which may hold a search or an id.

    It goes on with the `traceparent` of a proxy of ours only: anybody else could have everything of theirs recorded.
    """

    UNTRACED = (*PROBED, settings.STATIC_URL)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self._async(request)
        with self._begun(request) as under_way:
            response = cast(HttpResponseBase, self.get_response(request))
            self._tell(under_way, request, response)
        return response

    async def _async(self, request: HttpRequest) -> HttpResponseBase:
        with self._begun(request) as under_way:
            response = cast(HttpResponseBase, await self.get_response(request))
            self._tell(under_way, request, response)
        return response

    def _begun(self, request: HttpRequest) -> AbstractContextManager[Span]:
        if request.path_info.startswith(self.UNTRACED):
            return NOTHING
        carried = request.headers.get("traceparent", "") if settings.ALLAUTH_TRUSTED_PROXY_COUNT else ""
        method = {"http.request.method": _method(request)}
        return span(_method(request), Kind.SERVED, method, carried=carried)

    @staticmethod
    def _tell(under_way: Span, request: HttpRequest, response: HttpResponseBase) -> None:
        under_way.note({"http.response.status_code": response.status_code})
        if request.resolver_match is not None:
            under_way.named(f"{_method(request)} /{request.resolver_match.route}")
            under_way.note({"http.route": f"/{request.resolver_match.route}"})
        if (tenant := getattr(request, "tenant", None)) is not None:
            under_way.note({"antecedent.tenant": str(tenant.pk)})
        if response.status_code >= 500:
            under_way.failed(str(response.status_code))


def _method(request: HttpRequest) -> str:
    """Methods that nobody knows are one, as the standard wants it: else each made-up word would be a name."""
    return request.method if request.method in METHODS else "_OTHER"


class AskedByAddress(_Both):
    """Probes and Prometheus ask a process by its address, which is no name that ALLOWED_HOSTS could hold.

    These pages lead nowhere and show no address, so it does not matter by which name they are asked.
    """

    def __call__(self, request: HttpRequest) -> Any:
        if request.path in PROBED:
            request.get_host = lambda: "localhost"  # type: ignore[method-assign]
        return self.get_response(request)


class TenantByPrefix(_Both):
    """Enters the scope of the tenant named by the address, for the whole request."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self._async(request)
        try:
            tenant = self._tenant(request)
        except DomainError as error:
            return error_response(request, error)
        with tenant_scope(tenant.id) if tenant else no_scope():
            return cast(HttpResponseBase, self.get_response(request))

    async def _async(self, request: HttpRequest) -> HttpResponseBase:
        try:
            tenant = await sync_to_async(self._tenant)(request)
        except DomainError as error:
            return error_response(request, error)
        with tenant_scope(tenant.id) if tenant else no_scope():
            return cast(HttpResponseBase, await self.get_response(request))

    @staticmethod
    def _tenant(request: HttpRequest) -> Tenant | None:
        slug = tenant_slug(request.META.get("SCRIPT_NAME", ""))
        if slug is None:
            return None
        tenant = tenant_by_slug(slug)
        request.tenant = tenant  # type: ignore[attr-defined]
        request.urlconf = settings.TENANT_URLCONF  # type: ignore[attr-defined]
        return tenant


class ActingPerson(_Both):
    """Says who acts, for the audit log. Who that is gets looked up only when something is recorded."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self._async(request)
        with acting_as(lambda: _actor(request)):
            return cast(HttpResponseBase, self.get_response(request))

    async def _async(self, request: HttpRequest) -> HttpResponseBase:
        with acting_as(lambda: _actor(request)):
            return cast(HttpResponseBase, await self.get_response(request))


def _actor(request: HttpRequest) -> Actor:
    user = request.user
    if not user.is_authenticated:
        return VISITOR
    tenant = getattr(request, "tenant", None)
    if tenant is None:
        return staff_actor(user) if user.is_staff else user_actor(user)
    return account_actor(user)


class TenantByKey(_Both):
    """Outside a tenant's address, programs are let in by their key: it says which tenant they work for.

    Without a key nothing of the API is told, not even whether an address exists. Views check the key itself.
    """

    OPEN = ("/api/v1/openapi.json", "/api/v1/docs")

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if not self._applies(request):
            return cast(HttpResponseBase, self.get_response(request))
        if self.is_async:
            return self._async(request)
        try:
            tenant = self._tenant(request)
        except DomainError as error:
            return error_response(request, error)
        with tenant_scope(tenant.id):
            return cast(HttpResponseBase, self.get_response(request))

    async def _async(self, request: HttpRequest) -> HttpResponseBase:
        try:
            tenant = await sync_to_async(self._tenant)(request)
        except DomainError as error:
            return error_response(request, error)
        with tenant_scope(tenant.id):
            return cast(HttpResponseBase, await self.get_response(request))

    def _applies(self, request: HttpRequest) -> bool:
        inside = hasattr(request, "tenant")
        return not inside and is_for_programs(request) and request.path_info not in self.OPEN

    @staticmethod
    def _tenant(request: HttpRequest) -> Tenant:
        presented = bearer_of(request.headers.get("Authorization", ""))
        if not presented:
            raise Unauthenticated
        tenant = Tenant.objects.filter(pk=presented_tenant(presented)).first()
        if tenant is None:
            raise KeyRefused
        request.tenant = tenant  # type: ignore[attr-defined]
        return tenant


class ContentSecurityPolicy(_Both):
    """No inline script, no foreign origin. Views that need another policy set the header themselves."""

    POLICY = (
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self' ws: wss:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )

    PERMISSIONS = (
        "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=(), "
        "accelerometer=(), gyroscope=(), magnetometer=(), display-capture=(), browsing-topics=()"
    )

    def _told(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault("Content-Security-Policy", self.POLICY)
        response.headers.setdefault("Permissions-Policy", self.PERMISSIONS)
        return response


class DomainErrors(_Both):
    """Translates an error once, at the door: JSON for programs, a page for people.

    Django answers a method that an address does not know with an empty page; it is told like any other error.
    """

    def _told(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not isinstance(response, HttpResponseNotAllowed) or response.content:
            return response
        told = error_response(request, NothingToShow(method=_method(request)))
        told.headers["Allow"] = response.headers["Allow"]
        return told

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return error_response(request, error) if isinstance(error, DomainError) else None
