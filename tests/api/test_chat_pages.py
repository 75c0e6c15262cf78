"""The HTTP side of the chat: the page's start, conversations, passages."""

from __future__ import annotations

import json
import re
from uuid import uuid4

import pytest

from conversations.models import Session
from retrieval import services as documents
from retrieval.models import Chunk
from tenants.models import Audience
from tenants.scoping import tenant_scope
from tests.api.conftest import PASSWORD
from tests.integration.conversations.conftest import KEYS, SECRET, answered, library, visitor  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)


def boot(page):
    return json.loads(
        re.search(rb'<script id="boot" type="application/json">(.*?)</script>', page.content, re.S)[1]
    )


def test_the_page_starts_from_what_the_tenant_is(tenant, browser):
    start = boot(browser(tenant).get("/chat/"))
    assert start["tenant"]["name"] == "Acme" and start["user"]["anonymous"]
    assert start["urls"]["ws"] == "/t/acme/ws/chat/"
    assert start["engine"] == {"mode": "offline", "label": "Offline engine"}


def test_the_page_cannot_be_broken_by_a_tenants_texts(tenant, browser):
    tenant.greeting = "</script><script>alert(1)</script>"
    tenant.save()
    page = browser(tenant).get("/chat/")
    assert b"<script>alert" not in page.content
    assert boot(page)["tenant"]["greeting"] == tenant.greeting


def signed_in(browser, tenant, person, email):
    user = person(tenant, email)
    client = browser(tenant)
    client.post("/login/", {"username": email, "password": PASSWORD})
    return client, user


def test_conversations_are_listed_to_their_own_end_user_only(library, tenant, rival, browser, person):  # noqa: F811
    from conversations.identity import Asker
    from tenants.services import end_user_for_account

    ann, user = signed_in(browser, tenant, person, "ann@acme.example")
    ben, _ = signed_in(browser, tenant, person, "ben@acme.example")
    turn = answered(Asker(tenant, end_user_for_account(user=user), user), "What is the RPO in Frankfurt?")
    listed = ann.get("/chat/sessions").json()["sessions"]
    assert [item["id"] for item in listed] == [str(turn.session_id)] and listed[0]["turns"] == 1
    assert ben.get("/chat/sessions").json() == {"sessions": []}
    assert ben.delete(f"/chat/sessions/{turn.session_id}").status_code == 404
    assert Session.objects.count() == 1
    assert ann.delete(f"/chat/sessions/{turn.session_id}").status_code == 204
    assert Session.objects.count() == 0


def test_a_passage_opens_for_whoever_may_see_it_now(library, tenant, browser, person):  # noqa: F811
    chunk = Chunk.objects.filter(text__contains="Dublin").first()
    client, _ = signed_in(browser, tenant, person, "ann@acme.example")
    opened = client.get(f"/chat/passages/{chunk.id}").json()
    assert "15 minutes" in opened["text"] and opened["title"]
    everyone = Audience.objects.get(slug="everyone").group_id
    documents.corpus_revoke(corpus_id=library.id, group_id=everyone)
    assert client.get(f"/chat/passages/{chunk.id}").json()["error"]["code"] == "not_found"


def test_a_passage_of_the_rival_does_not_exist_here(library, tenant, rival, browser, person):  # noqa: F811
    with tenant_scope(rival.id):
        theirs = Chunk.objects.first()
    client, _ = signed_in(browser, tenant, person, "ann@acme.example")
    assert client.get(f"/chat/passages/{theirs.id}").status_code == 404
    assert client.get(f"/chat/passages/{uuid4()}").status_code == 404


def test_a_restricted_document_opens_by_its_own_grant_alone(library, tenant, browser, person):  # noqa: F811
    from tests.integration.conversations.conftest import shelve

    secret = shelve("aurora.md", SECRET, corpus=library, restricted=True)
    chunk = Chunk.objects.filter(document=secret).first()
    client, _ = signed_in(browser, tenant, person, "ann@acme.example")
    assert client.get(f"/chat/passages/{chunk.id}").status_code == 404
    documents.document_grant(document_id=secret.id, group_id=Audience.objects.get(slug="everyone").group_id)
    assert client.get(f"/chat/passages/{chunk.id}").status_code == 200


def test_deleting_needs_the_pages_token(library, tenant, browser):  # noqa: F811
    client = browser(tenant, enforce_csrf_checks=True)
    client.get("/chat/")
    assert client.delete(f"/chat/sessions/{uuid4()}").status_code == 403
