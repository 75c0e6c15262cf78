"""The tenant's address prefix: `/t/<tenant>` becomes the ASGI `root_path`.

Django then treats it as SCRIPT_NAME, so `reverse()`, redirects and the admin's own links follow by themselves.
"""

from __future__ import annotations

import re
from typing import Any

PREFIX = re.compile(r"^/t/(?P<slug>[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?)(?=/|$)")


def tenant_slug(root_path: str) -> str | None:
    """The tenant named by a root path (`/t/nimbus` → `nimbus`), or None."""
    match = PREFIX.match(root_path)
    return match["slug"] if match and match.end() == len(root_path) else None


class TenantPrefix:
    """An outer ASGI application that splits the tenant off the path."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        match = PREFIX.match(scope.get("path", "")) if scope["type"] in {"http", "websocket"} else None
        if match:
            scope = {**scope, "root_path": match[0], "tenant_slug": match["slug"]}
        await self.inner(scope, receive, send)
