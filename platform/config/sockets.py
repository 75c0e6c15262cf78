"""What every WebSocket passes before its consumer: where it comes from and which tenant it is for."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.contrib.auth.models import AnonymousUser

from config.errors import as_domain_error
from conversations.commands import TRY_AGAIN
from conversations.identity import SUBPROTOCOL
from kernel.errors import DomainError
from tenants.logins import login_counts_here
from tenants.scoping import tenant_scope
from tenants.selectors import tenant_by_slug
from tenants.threads import in_thread

log = logging.getLogger(__name__)


class ComesAgain:
    """Lets a socket in only to say that it should come again, while the database is away or full and nobody can tell
    whose it is. Refused at the handshake, a browser would not learn why."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        told: set[str] = set()

        async def telling(message: dict[str, Any]) -> None:
            told.add(message["type"])
            await send(message)

        try:
            await self.inner(scope, receive, telling)
        except Exception as error:
            outage = as_domain_error(error)
            if told or outage is None or not outage.retryable:
                raise
            log.warning("a socket cannot be let in now, it will come again: %s", error)
            offered = scope.get("subprotocols", ())
            await send(
                {"type": "websocket.accept", "subprotocol": SUBPROTOCOL if SUBPROTOCOL in offered else None}
            )
            await send({"type": "websocket.close", "code": TRY_AGAIN})


class SameOrigin:
    """Refuses a socket that a page of another origin opens. Programs send no Origin and are let through."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        origin = headers.get(b"origin", b"").decode("latin-1")
        host = headers.get(b"host", b"").decode("latin-1")
        if origin and urlsplit(origin).netloc != host:
            await WebsocketDenier()(scope, receive, send)
            return
        await self.inner(scope, receive, send)


class TenantSocket:
    """Enters the scope of the tenant named by the address, for the life of the connection."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        try:
            tenant = await in_thread(tenant_by_slug, scope.get("tenant_slug", ""))
        except DomainError:
            await WebsocketDenier()(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        with tenant_scope(tenant.id):
            await self.inner({**scope, "tenant": tenant, "path_remaining": path}, receive, send)


class LoginsThatCountHere:
    """Whoever is signed in through another tenant's provider is nobody here. Stands behind the session and the user."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if not await in_thread(login_counts_here, scope["session"]):
            scope = {**scope, "user": AnonymousUser()}
        await self.inner(scope, receive, send)
