"""Documents from code: corpora, uploads, access, search; what the rival and restricted readers see of it."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval import services
from retrieval.domain.errors import READABLE
from retrieval.models import Document
from tenants.scoping import tenant_scope
from tenants.services.end_users import end_user_for_subject
from tests.api.programs import Program, key_of
from tests.integration.conversations.conftest import SECRET, library, shelve  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)
HOURS = b"# Visiting hours\n\nIntensive care may be visited from 15:00 to 17:00, two visitors at a time.\n"


def file(name="hours.md", data=HOURS):
    return SimpleUploadedFile(name, data)


@pytest.fixture
def ask(tenant):
    return Program(key_of(tenant))


@pytest.fixture
def ward(ask):
    return ask("POST", "/api/v1/corpora", {"name": "Ward handbook"}).json()["id"]


def uploaded(ask, corpus, **fields):
    answer = ask.upload("POST", f"/api/v1/corpora/{corpus}/documents", {"file": file(), **fields})
    assert answer.status_code == 201, answer.content
    return answer.json()


def indexed(tenant, document):
    with tenant_scope(tenant.id):
        services.document_index(document_id=document["id"])


def test_a_document_is_uploaded_indexed_and_found(ask, tenant, ward):
    told = uploaded(ask, ward, title="Hours", tags=["visitors", "icu"])
    assert told["outcome"] == "new" and told["document"]["state"] == "queued"
    assert told["document"]["tags"] == ["visitors", "icu"]
    indexed(tenant, told["document"])
    now = ask("GET", f"/api/v1/documents/{told['document']['id']}").json()
    assert (now["state"], now["passages"], now["searchable"]) == ("indexed", 1, True)
    hits = ask("POST", "/api/v1/search", {"query": "When may intensive care be visited?"}).json()["hits"]
    assert hits[0]["document"] == now["id"] and "15:00" in hits[0]["text"]
    passage = ask("GET", f"/api/v1/passages/{hits[0]['passage']}").json()
    assert passage["title"] == "Hours"


def test_the_same_upload_under_a_key_is_done_once_however_it_is_sent(ask, ward):
    path = f"/api/v1/corpora/{ward}/documents"
    first = ask.upload("POST", path, {"file": file()}, Idempotency_Key="u-1")
    again = ask.upload("POST", path, {"file": file()}, Idempotency_Key="u-1")
    other = ask.upload("POST", path, {"file": file(data=HOURS + b"!")}, Idempotency_Key="u-1")
    assert first.json() == again.json() and other.status_code == 422


def test_other_bytes_under_its_name_replace_a_document_and_the_same_change_nothing(ask, tenant, ward):
    document = uploaded(ask, ward)["document"]
    indexed(tenant, document)
    path = f"/api/v1/documents/{document['id']}/file"
    assert ask.upload("PUT", path, {"file": file("other-name.md")}).json()["outcome"] == "unchanged"
    replaced = ask.upload("PUT", path, {"file": file(data=HOURS.replace(b"15", b"14"))}).json()
    assert replaced["outcome"] == "replaces" and replaced["document"]["filename"] == "hours.md"
    assert replaced["document"]["searchable"]


def test_what_cannot_be_read_ends_in_a_state_with_its_reason_and_is_tried_again_where_that_may_help(
    ask, tenant, ward
):
    path = f"/api/v1/corpora/{ward}/documents"
    told = ask.upload("POST", path, {"file": file("cut-off.pdf", b"%PDF-1.7\nnothing")}).json()
    indexed(tenant, told["document"])
    failed = ask("GET", f"/api/v1/documents?state=failed&corpus={ward}").json()["items"]
    assert [row["id"] for row in failed] == [told["document"]["id"]]
    assert failed[0]["reason"]["code"] == "document_corrupt"
    path = f"/api/v1/documents/{failed[0]['id']}/retry"
    useless = ask("POST", path)
    assert (useless.status_code, useless.json()["error"]["code"]) == (409, "retry_useless")
    with tenant_scope(tenant.id):
        Document.objects.filter(pk=failed[0]["id"]).update(reason_code="document_gave_up")
    again = ask("POST", path)
    assert (again.status_code, again.json()["state"]) == (202, "queued")


def test_a_file_that_no_reader_is_for_is_refused_at_once_with_what_can_be_read(ask, tenant, ward):
    document = uploaded(ask, ward)["document"]
    picture = b"\x89PNG\r\n\x1a\n" + b"\x00" * 99
    for method, path in (
        ("POST", f"/api/v1/corpora/{ward}/documents"),
        ("PUT", f"/api/v1/documents/{document['id']}/file"),
    ):
        answer = ask.upload(method, path, {"file": file("hours.md", picture)})
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (422, "document_unsupported")
        assert error["extra"] == {"kind": "a PNG image", "readable": list(READABLE)}
    held = ask("GET", f"/api/v1/documents?corpus={ward}").json()["items"]
    assert [(row["id"], row["state"]) for row in held] == [(document["id"], document["state"])]


def test_too_large_a_file_is_refused_before_it_is_read(ask, ward, settings):
    settings.ANTECEDENT = {**settings.ANTECEDENT, "MAX_UPLOAD_BYTES": 50}
    answer = ask.upload("POST", f"/api/v1/corpora/{ward}/documents", {"file": file()})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "document_too_large")


def test_a_form_without_a_file_says_so(ask, ward):
    answer = ask.upload("POST", f"/api/v1/corpora/{ward}/documents", {"title": "Hours"})
    assert answer.status_code == 400 and "file" in answer.json()["error"]["extra"]["fields"]


def test_deleting_takes_a_document_out_of_searches_at_once(ask, tenant, ward):
    document = uploaded(ask, ward)["document"]
    indexed(tenant, document)
    assert ask("DELETE", f"/api/v1/documents/{document['id']}").status_code == 204
    assert ask("POST", "/api/v1/search", {"query": "intensive care"}).json()["hits"] == []
    assert ask("DELETE", f"/api/v1/documents/{document['id']}").status_code == 404


def test_a_page_of_a_private_network_is_not_imported(ask, ward):
    answer = ask("POST", f"/api/v1/corpora/{ward}/pages", {"url": "http://127.0.0.1/admin"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "source_address_refused")


def test_access_is_given_and_taken_in_bulk_and_holds_at_the_next_search(ask, tenant, ward):
    document = uploaded(ask, ward)["document"]
    indexed(tenant, document)
    nurses = ask("POST", "/api/v1/audiences", {"name": "Nurses"}).json()["id"]
    ask("POST", "/api/v1/end-users", {"subject": "ann", "audiences": ["nurses"]})
    ask("POST", "/api/v1/end-users", {"subject": "ben"})

    def sees(subject):
        found = ask("POST", "/api/v1/search", {"query": "intensive care", "end_user": {"subject": subject}})
        return bool(found.json()["hits"])

    assert not sees("ann") and not sees("ben")
    grant = {"action": "give", "corpora": [ward], "audiences": [nurses]}
    told = {"corpora": 1, "documents": 0, "holders": 1, "effect": None}
    assert ask("POST", "/api/v1/access", grant).json() == told
    assert sees("ann") and not sees("ben")
    ask("POST", "/api/v1/access", {"action": "give", "documents": [document["id"]], "end_users": ["ben"]})
    assert sees("ben")
    seers = ask("GET", f"/api/v1/documents/{document['id']}/access").json()
    assert {(row["name"], row["by"]) for row in seers["audiences"]} == {
        ("Nurses", "corpus"),
        ("Only id:ben", "document"),
    }
    ask("PATCH", f"/api/v1/documents/{document['id']}", {"restricted": True})
    assert not sees("ann") and sees("ben")
    ask("POST", "/api/v1/access", {"action": "take", "documents": [document["id"]], "end_users": ["ben"]})
    assert not sees("ben")


def test_a_grant_names_who_and_what_or_is_refused_as_a_whole(ask, ward):
    from uuid import uuid4

    for grant in (
        {"corpora": [ward]},
        {"corpora": [ward, str(uuid4())], "audiences": []},
        {"audiences": [str(uuid4())]},
    ):
        answer = ask("POST", "/api/v1/access", {"action": "give", **grant})
        assert answer.status_code in (400, 404)


def test_many_documents_are_previewed_granted_and_restricted_at_once(ask, tenant, ward):
    path = f"/api/v1/corpora/{ward}/documents"
    ids = [ask.upload("POST", path, {"file": file(f"{n}.md")}).json()["document"]["id"] for n in range(3)]
    grant = {"action": "give", "documents": ids, "end_users": ["ann"]}
    with tenant_scope(tenant.id):
        end_user_for_subject(subject="ann")
    effect = {"documents": 3, "grants": 3, "people": 1, "everyone": False}
    for _ in range(2):
        told = ask("POST", "/api/v1/access", {**grant, "preview": True}).json()
        assert (told["effect"], told["holders"]) == (effect, 1)
    assert not ask("GET", f"/api/v1/documents/{ids[0]}/access").json()["audiences"]
    assert ask("POST", "/api/v1/access", grant).json()["effect"] == effect
    assert ask("POST", "/api/v1/access", grant).json()["effect"] == {
        **effect,
        "documents": 0,
        "grants": 0,
        "people": 0,
    }
    told = ask("POST", "/api/v1/access", {"action": "restrict", "documents": ids[:2]}).json()
    assert told["effect"]["documents"] == 2
    assert [ask("GET", f"/api/v1/documents/{id}").json()["restricted"] for id in ids] == [True, True, False]
    refused = ask("POST", "/api/v1/access", {"action": "open", "documents": ids, "end_users": ["ann"]})
    assert refused.status_code == 400


def test_a_key_that_only_chats_searches_for_a_named_person(library, tenant):  # noqa: F811
    ask = Program(key_of(tenant, "chat"))
    assert ask("POST", "/api/v1/search", {"query": "RPO"}).json()["error"]["extra"]["fields"] == {
        "end_user": ["Name the end user that this is done for."]
    }
    assert ask("POST", "/api/v1/search", {"query": "RPO", "end_user": {"subject": "ann"}}).json()["hits"]


def test_an_explanation_tells_why_a_passage_is_left_out(library, tenant):  # noqa: F811
    ask = Program(key_of(tenant, "read"))
    asked = {"query": "RPO in Frankfurt", "limit": 1, "explain": True}
    told = ask("POST", "/api/v1/search", asked).json()
    assert len(told["hits"]) == 1 and {"below_limit"} == {
        r for one in told["left_out"] for r in one["reasons"]
    }


def test_an_analyst_reads_what_was_granted_and_is_told_of_nothing_else(library, tenant, person):  # noqa: F811
    from django.test import Client

    secret = shelve("aurora.md", SECRET, corpus=library, restricted=True)
    client = Client()
    client.force_login(person(tenant, "ana@acme.example", "analyst"))
    ask = Program(slug=tenant.slug, client=client)
    assert str(secret.pk) not in ask("GET", "/api/v1/documents").content.decode()
    assert ask("GET", f"/api/v1/documents/{secret.pk}").status_code == 404
    hits = ask("POST", "/api/v1/search", {"query": "Project Aurora Reykjavik"}).json()["hits"]
    assert all(hit["document"] != str(secret.pk) for hit in hits)


def test_the_rival_reaches_nothing_by_id(library, tenant, rival):  # noqa: F811
    theirs = Program(key_of(rival))
    with tenant_scope(tenant.id):
        document = Document.objects.first()
        chunk = document.chunks.first()
    for method, path, body in (
        ("GET", f"/api/v1/corpora/{library.pk}", None),
        ("PATCH", f"/api/v1/corpora/{library.pk}", {"name": "Mine"}),
        ("DELETE", f"/api/v1/corpora/{library.pk}", None),
        ("GET", f"/api/v1/corpora/{library.pk}/access", None),
        ("POST", f"/api/v1/corpora/{library.pk}/pages", {"url": "https://rival.example"}),
        ("GET", f"/api/v1/documents/{document.pk}", None),
        ("PATCH", f"/api/v1/documents/{document.pk}", {"restricted": True}),
        ("DELETE", f"/api/v1/documents/{document.pk}", None),
        ("POST", f"/api/v1/documents/{document.pk}/retry", {}),
        ("GET", f"/api/v1/passages/{chunk.pk}", None),
        (
            "POST",
            "/api/v1/access",
            {"action": "give", "corpora": [str(library.pk)], "end_users": ["account:1"]},
        ),
    ):
        assert theirs(method, path, body).status_code == 404, path
    assert str(document.pk) not in theirs("GET", "/api/v1/documents").content.decode()
    found = theirs("POST", "/api/v1/search", {"query": "RPO in Frankfurt", "explain": True}).content.decode()
    assert "Frankfurt" not in found
    named = {"query": "RPO", "filters": {"documents": [str(document.pk)], "corpora": [str(library.pk)]}}
    assert theirs("POST", "/api/v1/search", named).json()["hits"] == []
