"""Every endpoint of the REST API, read off the URL conf."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

METHODS = ("get", "post", "put", "patch", "delete")
_FILLED = {"uuid": lambda: str(uuid4()), "slug": lambda: "scope", "str": lambda: "acme", "int": lambda: "7"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A method of an address; `path` has its parameters in braces."""

    method: str
    path: str
    route: str
    view: Any

    @property
    def key(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def handler(self) -> Any:
        return getattr(self.view, self.method.lower())

    def address(self) -> str:
        """An address whose ids are nobody's."""
        return "/" + re.sub(r"<(\w+):\w+>", lambda found: _FILLED[found[1]](), self.route)


def endpoints() -> list[Endpoint]:
    from config import api_urls

    return sorted(_walked("", api_urls.urlpatterns), key=lambda endpoint: (endpoint.path, endpoint.method))


def _walked(before: str, patterns: list[Any]) -> Iterator[Endpoint]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from _walked(route, pattern.url_patterns)
            continue
        view = getattr(pattern.callback, "cls", None)
        for method in METHODS:
            if view is not None and hasattr(view, method):
                path = "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route)
                yield Endpoint(method.upper(), path, route, view)
