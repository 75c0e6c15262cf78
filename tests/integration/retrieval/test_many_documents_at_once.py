"""Access, tags, another try and deletion of many documents at once: previewed exactly, all of it or nothing."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from kernel.errors import Invalid, NotFound
from retrieval import services
from retrieval.models import Document
from retrieval.selectors import documents_visible_to
from retrieval.services import AccessAction, AccessChange
from tenants.models import Audience, AuditEntry, User
from tenants.scoping import tenant_scope
from tenants.services import audience_create, membership_set
from tenants.services.end_users import end_user_for_subject
from tenants.services.people import end_user_for_device


@pytest.fixture
def documents(add):
    return [add(f"{n}.md", f"Car {n} has {n} seats.", tags=["cars"]) for n in range(3)]


@pytest.fixture
def drivers(scoped):
    """An audience with two people in it."""
    audience = audience_create(name="Drivers")
    for subject in ("ann", "ben"):
        end_user_for_subject(subject=subject, audiences=["Drivers"])
    return audience


def change(action, documents, *audiences, users=()):
    ids, groups = tuple(one.id for one in documents), tuple(one.group_id for one in audiences)
    return AccessChange(AccessAction(action), ids, groups, tuple(users))


def told(effect):
    return effect.chosen, effect.documents, effect.grants, effect.people


def test_the_preview_of_a_grant_says_what_then_happens(documents, drivers, principal):
    services.document_grant(document_id=documents[0].id, group_id=drivers.group_id)
    give = change("give", documents, drivers)
    before = services.access_effect(give)
    assert told(before) == (3, 2, 2, 2)
    driver = principal(group_ids=(drivers.group_id,))
    assert documents_visible_to(driver).count() == 1
    assert services.access_change(give) == before
    assert documents_visible_to(driver).count() == 3
    assert told(services.access_effect(give)) == (3, 0, 0, 0)


def test_taking_counts_the_grants_that_there_are(documents, drivers, principal):
    services.access_change(change("give", documents[:2], drivers))
    assert told(services.access_change(change("take", documents, drivers))) == (3, 2, 2, 2)
    assert not documents_visible_to(principal(group_ids=(drivers.group_id,))).exists()


def test_people_are_counted_once_however_they_are_meant(documents, drivers):
    user = User.objects.create_user("cem@rental.example", name="Cem")
    membership_set(user=user, role="analyst")
    guests = audience_create(name="Guests")
    end_user_for_subject(subject="ann", audiences=["Drivers", "Guests"])
    end_user_for_device(device="x")
    members = Audience.objects.get(slug="members")
    assert services.access_effect(change("give", documents, drivers, guests)).people == 2
    assert services.access_effect(change("give", documents, members, users=[user.pk])).people == 1
    assert services.access_effect(change("give", documents, drivers, users=[user.pk])).people == 3
    everyone = services.access_effect(change("give", documents, Audience.objects.get(slug="everyone")))
    assert (everyone.people, everyone.everyone) == (3, True)


def test_restricting_touches_those_of_the_corpus(documents, drivers, principal, corpus):
    services.corpus_grant(corpus_id=corpus.id, group_id=drivers.group_id)
    services.document_restrict(document_id=documents[0].id, restricted=True)
    assert told(services.access_change(change("restrict", documents))) == (3, 2, 0, 2)
    assert not documents_visible_to(principal(group_ids=(drivers.group_id,))).exists()
    assert told(services.access_effect(change("restrict", documents))) == (3, 0, 0, 0)
    assert told(services.access_change(change("open", documents))) == (3, 3, 0, 2)


def test_it_is_all_or_nothing_and_in_the_log(documents, drivers, rival, principal):
    with tenant_scope(rival.id):
        theirs = services.document_upload(
            corpus_id=services.corpus_create(name="Theirs").id, filename="a.md", data=b"Theirs."
        )
    entries = AuditEntry.objects.count()
    with pytest.raises(NotFound):
        services.access_change(change("give", [*documents, theirs], drivers))
    assert not documents_visible_to(principal(group_ids=(drivers.group_id,))).exists()
    assert AuditEntry.objects.count() == entries
    services.access_change(change("give", documents, drivers))
    assert AuditEntry.objects.order_by("-seq").first().action == "access.granted"


def test_what_names_nobody_or_nothing_is_refused(documents, drivers):
    for wrong in (change("give", documents), change("give", [], drivers), change("restrict", [])):
        with pytest.raises(Invalid):
            services.access_change(wrong)


def test_a_thousand_documents_cost_no_more_queries_than_ten(documents, drivers, corpus):
    def cost(n):
        rows = [
            Document(corpus=corpus, title=f"{n} {i}", filename=f"{uuid4()}.md", content_hash="x", size=1, queued_at=documents[0].queued_at, uploaded_at=documents[0].uploaded_at)
            for i in range(n)
        ]  # fmt: skip
        made = Document.objects.bulk_create(rows)
        with CaptureQueriesContext(connection) as asked:
            services.access_change(change("give", made, drivers))
        return len(asked)

    assert cost(900) <= cost(10)


def test_tags_are_put_on_and_taken_off(documents):
    ids = [one.id for one in documents]
    assert services.documents_tag(document_ids=ids, add=["fleet"], remove=["cars"]) == 3
    assert services.documents_tag(document_ids=ids, add=["fleet"]) == 0
    assert {tuple(one.tags) for one in Document.objects.all()} == {("fleet",)}
    entry = AuditEntry.objects.order_by("-seq").first()
    assert (entry.action, len(entry.data["documents"])) == ("documents.tagged", 3)


def test_only_those_are_tried_again_whose_failure_can_pass(documents):
    codes = ["document_timeout", "document_unsupported"]
    for document, code in zip(documents, codes, strict=False):
        Document.objects.filter(id=document.id).update(state="failed", reason_code=code, reason="No.")
    done = services.documents_retry(document_ids=[one.id for one in documents])
    assert ([one.id for one in done.again], done.useless) == ([documents[0].id], 1)
    assert sorted(Document.objects.values_list("state", flat=True)) == ["failed", "indexed", "queued"]


def test_all_that_are_chosen_are_deleted_or_none(documents, find):
    with pytest.raises(NotFound):
        services.documents_delete(document_ids=[documents[0].id, uuid4()])
    assert Document.objects.count() == 3
    assert services.documents_delete(document_ids=[one.id for one in documents[:2]]) == 2
    assert [hit.filename for hit in find("car seats")] == ["2.md"]
