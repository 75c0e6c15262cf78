"""Every change that the audit log promises leaves one entry, with the change, and nothing that was said or written."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from celery import Celery
from django.db.models import Q
from django.test import Client
from django.urls import set_script_prefix

from conversations.models import DeletionReason, Session
from conversations.services.retention import sessions_delete
from conversations.services.sessions import session_delete
from kernel.errors import NotFound
from retrieval import services
from tenants.acting import Actor, acting_as
from tenants.models import AuditEntry, Membership, User
from tenants.scoping import tenant_scope
from tenants.selectors.audit import audit_export, audit_verify
from tenants.services import (
    audience_create,
    audiences_join,
    end_user_for_device,
    membership_set,
    retention_set,
    tenant_create,
)
from tenants.tasks import TenantTask
from tests.integration.admin_ui.rows import make_session

pytestmark = pytest.mark.django_db(transaction=True)

SAID = "Where is the map room of the library?"


@pytest.fixture
def library(scoped: Any) -> dict[str, Any]:
    """A corpus with two documents, a reader in an audience, and a conversation."""
    corpus = services.corpus_create(name="Holdings", slug="holdings")
    documents = [
        services.document_upload(corpus_id=corpus.id, filename=f"{name}.md", data=SAID.encode()).id
        for name in ("maps", "prints")
    ]
    readers = audience_create(name="Readers")
    session = make_session(turns=2, who="reader")
    return {"corpus": corpus.id, "documents": documents, "group": readers.group_id, "session": session}


@pytest.fixture
def recorded() -> Callable[[], list[tuple[str, dict[str, Any]]]]:
    seen = AuditEntry.objects.order_by("-seq").values_list("seq", flat=True).first() or 0

    def since() -> list[tuple[str, dict[str, Any]]]:
        return list(AuditEntry.objects.filter(seq__gt=seen).order_by("seq").values_list("action", "data"))

    return since


def holds(library: dict[str, Any], recorded: Any, *actions: str) -> list[dict[str, Any]]:
    entries = recorded()
    assert [action for action, _ in entries] == list(actions)
    assert SAID.encode() not in b"".join(audit_export())
    assert audit_verify().broken == ()
    return [data for _, data in entries]


def test_it_records_a_workspace(db):
    made = tenant_create(slug="hospital", name="Hospital")
    with tenant_scope(made.id):
        assert [entry.action for entry in AuditEntry.objects.all()] == ["tenant.created"]


def test_it_records_members_and_their_roles(library, recorded):
    ada = User.objects.create_user("ada@library.example")
    membership_set(user=ada, role="analyst")
    membership_set(user=ada, role="owner")
    first, second = holds(library, recorded, "membership.set", "membership.set")
    assert (first["before"], first["role"]) == (None, "analyst")
    assert (second["before"], second["role"]) == ("analyst", "owner")


def test_it_records_audiences_and_who_joins_them_once(library, recorded):
    staff = audience_create(name="Staff")
    visitor = end_user_for_device(device="d")
    for _ in range(2):
        audiences_join(end_user=visitor, audiences=[staff])
    made, joined = holds(library, recorded, "audience.created", "audience.joined")
    assert (made["name"], joined["end_user"]) == ("Staff", str(visitor.pk))


def test_it_records_how_long_conversations_are_kept_when_that_changes(library, recorded, scoped):
    for _ in range(2):
        retention_set(tenant_id=scoped.id, mode="days", days=30)
    (data,) = holds(library, recorded, "retention.set")
    assert data == {"mode": "days", "days": 30, "before": {"retention": "keep", "retention_days": 90}}


def test_it_records_single_grants_once_and_their_end(library, recorded):
    group, (maps, _) = library["group"], library["documents"]
    for _ in range(2):
        services.corpus_grant(corpus_id=library["corpus"], group_id=group)
        services.document_grant(document_id=maps, group_id=group)
    for _ in range(2):
        services.corpus_revoke(corpus_id=library["corpus"], group_id=group)
        services.document_revoke(document_id=maps, group_id=group)
    actions = ("access.granted", "access.granted", "access.revoked", "access.revoked")
    data = holds(library, recorded, *actions)
    assert [one["may"] for one in data] == ["view_corpus", "view_document"] * 2
    assert all(one["group_id"] == group for one in data)


def test_it_records_grants_of_many(library, recorded):
    named = {"document_ids": library["documents"], "group_ids": [library["group"]]}
    services.documents_grant(**named)
    services.documents_revoke(**named)
    granted, revoked = holds(library, recorded, "access.granted", "access.revoked")
    assert granted == revoked
    assert granted["to"] == [str(one) for one in library["documents"]] and granted["groups"] == [
        library["group"]
    ]


def test_it_records_restrictions(library, recorded):
    maps, prints = library["documents"]
    services.document_restrict(document_id=maps, restricted=True)
    services.documents_restrict(document_ids=[maps, prints], restricted=False)
    one, both = holds(library, recorded, "documents.restricted", "documents.restricted")
    assert one == {"documents": [str(maps)], "restricted": True}
    assert both == {"documents": [str(maps), str(prints)], "restricted": False}


@pytest.mark.parametrize("data", [SAID.encode(), b"Other bytes."], ids=["same bytes", "other bytes"])
def test_it_records_a_restriction_that_came_with_an_upload(library, recorded, data):
    upload = {"corpus_id": library["corpus"], "filename": "maps.md", "data": data}
    services.document_upload(**upload, restricted=True)
    services.document_upload(**upload, restricted=True)
    holds(library, recorded, "documents.restricted")


def test_it_records_deleted_documents_and_corpora(library, recorded):
    services.document_delete(document_id=library["documents"][0])
    services.corpus_delete(corpus_id=library["corpus"])
    first, _, corpus = holds(library, recorded, "document.deleted", "document.deleted", "corpus.deleted")
    assert (first["title"], corpus["name"]) == ("maps", "Holdings")


def test_it_records_a_new_corpus(library, recorded):
    services.corpus_create(name="Loans", slug="loans")
    holds(library, recorded, "corpus.created")


def test_it_records_imports(library, recorded):
    services.url_import(corpus_id=library["corpus"], url="https://library.example/hours")
    services.sitemap_import(corpus_id=library["corpus"], url="https://library.example/sitemap.xml")
    page, site = holds(library, recorded, "page.imported", "site.imported")
    assert (page["url"], site["url"]) == (
        "https://library.example/hours",
        "https://library.example/sitemap.xml",
    )


def test_it_records_that_a_person_deleted_a_conversation_without_what_was_said(library, recorded):
    session = library["session"]
    session_delete(session_id=session.pk, end_user_id=session.end_user_id)
    (data,) = holds(library, recorded, "conversations.deleted")
    assert (data["sessions"], data["reason"]) == ([str(session.pk)], "end_user")
    last = AuditEntry.objects.get(action="conversations.deleted")
    assert (last.actor, last.actor_id) == ("end_user", str(session.end_user_id))


def test_it_records_the_key_that_deleted_a_conversation_for_somebody(library):
    session = library["session"]
    with acting_as(Actor("key", "k", "Desk")):
        session_delete(session_id=session.pk, end_user_id=session.end_user_id)
    assert AuditEntry.objects.get(action="conversations.deleted").actor == "key"


def test_it_records_that_retention_deleted_conversations(library, recorded):
    sessions_delete(Q(pk__in=Session.objects.values("pk")), DeletionReason.AGE)
    sessions_delete(Q(pk__in=Session.objects.values("pk")), DeletionReason.AGE)
    (data,) = holds(library, recorded, "conversations.deleted")
    assert data["reason"] == "age" and data["rows"]["Turn"] == 2


def test_it_records_nothing_of_what_failed(library, recorded):
    nothing = UUID(int=0)
    for attempt in (
        lambda: services.corpus_grant(corpus_id=nothing, group_id=library["group"]),
        lambda: services.document_restrict(document_id=nothing, restricted=True),
        lambda: services.documents_restrict(document_ids=[library["documents"][0], nothing], restricted=True),
        lambda: services.document_delete(document_id=nothing),
        lambda: services.corpus_delete(corpus_id=nothing),
    ):
        with pytest.raises(NotFound):
            attempt()
    holds(library, recorded)


# Who acts is said at the doors


@pytest.fixture
def console(scoped: Any, library: Any) -> Any:
    """`console(user)` asks as that person, below the tenant's address."""

    def opened(user: User) -> Client:
        client = Client(SCRIPT_NAME=f"/t/{scoped.slug}")
        client.force_login(user)
        return client

    set_script_prefix(f"/t/{scoped.slug}/")
    yield opened
    set_script_prefix("/")


def keep_for_30_days(client: Client) -> None:
    answer = client.post("/console/data/retention", {"mode": "days", "days": "30"})
    assert answer.status_code < 400


def test_it_names_the_member_who_acts(console, scoped):
    ada = User.objects.create_user("ada@library.example")
    membership_set(user=ada, role="owner")
    keep_for_30_days(console(ada))
    entry = AuditEntry.objects.get(action="retention.set")
    assert (entry.actor, entry.actor_id, entry.actor_label) == ("user", str(ada.pk), "ada@library.example")


def test_it_names_a_member_who_is_staff_as_a_member(console, scoped):
    ada = User.objects.create_user("ada@library.example", is_staff=True)
    membership_set(user=ada, role="owner")
    keep_for_30_days(console(ada))
    assert AuditEntry.objects.get(action="retention.set").actor == "user"


def test_it_names_the_system_in_the_background(scoped):
    @Celery("library", set_as_current=False).task(base=TenantTask)
    def forget(tenant_id: str) -> None:
        retention_set(tenant_id=UUID(tenant_id), mode="none")

    with acting_as(Actor("user", "7")):
        forget(str(scoped.id))
    assert AuditEntry.objects.get(action="retention.set").actor == "system"


def test_it_says_nothing_of_members_to_the_rival(library, rival):
    with tenant_scope(rival.id):
        assert [json.loads(line)["action"] for line in audit_export()] == ["tenant.created"]
        assert not Membership.objects.exists()
