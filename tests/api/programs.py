"""Programs that call the REST API: a Django test client that sends a key, at the root or below a tenant's address."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import set_script_prefix

from tenants.acting import SYSTEM, acting_as, user_actor
from tenants.scoping import tenant_scope
from tenants.services.keys import api_key_create

EVERY_SCOPE = ("read", "ingest", "chat", "admin")


def key_of(tenant: Any, *scopes: str, by: Any = None, **options: Any) -> str:
    """A new key's text; `by` is the member who makes it."""
    with tenant_scope(tenant.id), acting_as(user_actor(by) if by else SYSTEM):
        return api_key_create(name=" ".join(scopes) or "everything", scopes=scopes or EVERY_SCOPE, **options)[
            1
        ]


class Program:
    """JSON in, JSON out."""

    def __init__(self, key: str = "", *, slug: str = "", client: Client | None = None) -> None:
        self.prefix = f"/t/{slug}" if slug else ""
        self.client = client or Client()
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        return self._sent(method, path, data, "application/json", headers)

    def upload(self, method: str, path: str, fields: dict[str, Any], **headers: str) -> Any:
        """A form with files."""
        return self._sent(method, path, encode_multipart(BOUNDARY, fields), MULTIPART_CONTENT, headers)

    def _sent(self, method: str, path: str, data: bytes, kind: str, headers: dict[str, str]) -> Any:
        named = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        more = {"SCRIPT_NAME": self.prefix} if self.prefix else {}
        set_script_prefix(f"{self.prefix}/")
        try:
            return self.client.generic(method, path, data, kind, headers=named, **more)
        finally:
            set_script_prefix("/")


def code_of(answer: Any) -> tuple[int, str]:
    """The status of a refusal, and the code of its error."""
    return answer.status_code, answer.json()["error"]["code"]
