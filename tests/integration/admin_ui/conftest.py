"""Members of two workspaces with a browser each, and the rows that the console's pages are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import get_script_prefix, set_script_prefix

from retrieval import wiring
from retrieval.domain.passages import EmbeddingSpace
from retrieval.models import Corpus
from retrieval.services import equipped
from tenants.models import User
from tenants.scoping import no_scope, tenant_scope
from tenants.services import membership_set


class NoEmbeddings:
    """The console never embeds anything; it only needs the name of the space."""

    space = EmbeddingSpace("test", "none", 4)


@pytest.fixture(autouse=True)
def tools(stack: Any) -> Iterator[None]:
    with equipped(replace(wiring.make(), embeddings=NoEmbeddings())):
        yield


@pytest.fixture(autouse=True)
def queued(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What was handed to the worker: (tenant, document)."""
    sent: list[tuple[str, str]] = []
    monkeypatch.setattr("admin_ui.uploads.document_index_task.delay", lambda *ids: sent.append(ids))
    return sent


@dataclass
class Console:
    """A browser at one workspace's console."""

    client: Client
    slug: str

    def get(self, path: str = "", **options: Any) -> Any:
        return self._ask(self.client.get, path, **options)

    def post(self, path: str, data: Any = None, **options: Any) -> Any:
        return self._ask(self.client.post, path, data=data or {}, **options)

    def _ask(self, method: Callable[..., Any], path: str, **options: Any) -> Any:
        """As behind the prefix: the test client sets no script prefix of its own, and brings no scope."""
        before = get_script_prefix()
        options = {"HTTP_ACCEPT": "text/html", **options}
        try:
            set_script_prefix(f"/t/{self.slug}/")
            with no_scope():
                return method(f"/console/{path}", SCRIPT_NAME=f"/t/{self.slug}", **options)
        finally:
            set_script_prefix(before)


@pytest.fixture
def browser() -> Callable[..., Console]:
    """`browser(tenant)` is a stranger's; with a role, a member's; with `member_of`, another workspace's member's."""

    def made(tenant: Any, role: str = "", *, member_of: Any = None) -> Console:
        client = Client()
        if role:
            user = User.objects.create_user(f"{uuid4()}@{tenant.slug}.example", name=role.title())
            with tenant_scope((member_of or tenant).id):
                membership_set(user=user, role=role)
            client.force_login(user)
        return Console(client, tenant.slug)

    return made


@pytest.fixture
def corpus(scoped: Any) -> Any:
    return Corpus.objects.create(name="Product", slug="product")
