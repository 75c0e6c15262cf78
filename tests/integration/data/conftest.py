"""A workspace with everything in it, and the rival with the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings

from conversations import tasks
from conversations.models import SummaryPart
from retrieval import services as documents
from retrieval.models import Document
from tenants.adapters import shared_memory
from tenants.models import Audience, EndUser, Membership, User
from tenants.scoping import tenant_scope
from tenants.services import audience_create, audiences_join
from tenants.services.keys import api_key_create
from tenants.services.quotas import quota_take
from tenants.services.usage import usage_flush
from tenants.services.webhooks import webhook_create, webhook_notify
from tests.integration.memory.conftest import Person, quick  # noqa: F401

FILE = b"# Visiting hours\n\nVisitors come between three and six.\n"


@dataclass
class Workspace:
    """What was put into one tenant, by how it is found again."""

    tenant: Any
    word: str
    people: tuple[Person, Person]
    sessions: tuple[UUID, UUID]
    document: Document
    secret: str

    @property
    def first(self) -> EndUser:
        with tenant_scope(self.tenant.id):
            return EndUser.objects.get(pk=self.people[0].id)

    @property
    def blob(self) -> Path:
        return Path(settings.ANTECEDENT["BLOB_DIR"]) / self.document.blob_key


def furnish(tenant: Any, word: str) -> Workspace:
    """`word` is in everything that was said, so that it can be looked for anywhere."""
    with tenant_scope(tenant.id):
        corpus = documents.corpus_create(name=f"{word} handbook")
        documents.corpus_grant(corpus_id=corpus.id, group_id=Audience.objects.get(slug="everyone").group_id)
        document = documents.document_upload(
            corpus_id=corpus.id, filename="visits.md", data=FILE, title=f"{word} visits"
        )
        documents.document_index(document_id=document.id)
        people = Person("one"), Person("two")
        audiences_join(
            end_user=EndUser.objects.get(pk=people[0].id), audiences=[audience_create(name=f"{word} nurses")]
        )
        sessions = tuple(
            person.asks(f"When may I visit {word} {name}?").session_id
            for person, name in zip(people, ("Ada", "Bea"), strict=True)
        )
        for session_id in sessions:
            tasks.session_remember(str(tenant.id), str(session_id))
            SummaryPart.objects.create(
                session_id=session_id,
                level=1,
                first_turn=1,
                last_turn=1,
                text=f"Visits to {word}.",
                engine="x",
            )
        member = User.objects.create_user(f"head@{word.lower()}.example", "a password of enough words")
        Membership.objects.create(user=member, role="owner")
        _, secret = api_key_create(name=f"{word} till", scopes=["read"])
        webhook_create(url=f"https://{word.lower()}.example/hook", events=["document.indexed"])
        webhook_notify("document.indexed", {"title": word})
        quota_take("turns_per_day")
        usage_flush()
        document.refresh_from_db()
    return Workspace(tenant, word, people, sessions, document, secret)


@pytest.fixture
def empty_valkey(stack):
    """What earlier tests left there would be found when a word is looked for."""
    shared_memory.client().flushdb()


@pytest.fixture
def clinic(transactional_db, empty_valkey, tenant, quick):  # noqa: F811
    return furnish(tenant, "Quillworthy")


@pytest.fixture
def theirs(transactional_db, empty_valkey, rival, quick):  # noqa: F811
    return furnish(rival, "Ostermarsh")


@pytest.fixture
def inside(clinic):
    with tenant_scope(clinic.tenant.id):
        yield clinic
