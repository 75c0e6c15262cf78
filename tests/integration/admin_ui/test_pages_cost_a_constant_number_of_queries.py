"""No page asks the database more often because it shows more."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from conversations.models import DeletionReceipt
from kernel.clock import now
from retrieval.models import Chunk, Corpus, SiteImport
from retrieval.services import corpus_grant, document_grant
from tenants.models import Audience
from tenants.services import audience_create
from tests.integration.admin_ui.rows import (
    joined_to,
    make_document,
    make_fact,
    make_joined,
    make_part,
    make_session,
    make_turn,
)

pytestmark = pytest.mark.django_db


def cost(browser, path: str) -> int:
    """Queries of a page; the visit before it notes that the sign-in was seen, which happens once in a while."""
    browser.get(path)
    with CaptureQueriesContext(connection) as asked:
        assert browser.get(path).status_code == 200
    return len([query for query in asked if not query["sql"].startswith(("SAVEPOINT", "RELEASE"))])


def grow(corpus, times: int) -> None:
    everyone = Audience.objects.get(slug="everyone")
    for n in range(times):
        more = Corpus.objects.create(name=f"Corpus {n}", slug=f"c{times}-{n}")
        corpus_grant(corpus_id=more.pk, group_id=everyone.group_id)
        make_document(corpus, f"Ready {times}-{n}", chunks=1)
        make_document(more, f"Failed {times}-{n}", state="failed", reason="Damaged.")
        make_session(turns=2, who=f"device-{times}-{n}")


@pytest.mark.parametrize("role", ["owner", "analyst"])
@pytest.mark.parametrize(
    "path",
    [
        "",
        "documents/",
        "documents/?part=list&q=ready",
        "conversations/?q=about",
        "conversations/?verdict=clean",
    ],
)
def test_lists_do_not_cost_more_with_more_rows(scoped, corpus, browser, path, role):
    corpus_grant(corpus_id=corpus.pk, group_id=Audience.objects.get(slug="everyone").group_id)
    member = browser(scoped, role)
    grow(corpus, 1)
    few = cost(member, path)
    grow(corpus, 6)
    assert cost(member, path) == few
    assert few <= (30 if path == "" else 22)


def remember(session, chunk, turns: range) -> None:
    for n in turns:
        make_part(session, n, n, "Asked about beds: Forty.", chunks=[chunk])
        make_fact(session, n, "There are 40 beds", "40 beds", chunks=[chunk], replaced_in=n)


def test_a_conversation_does_not_cost_more_with_more_turns(scoped, corpus, browser):
    session, member = make_session(turns=1), browser(scoped, "analyst")
    chunk = str(Chunk.objects.filter(document=make_document(corpus, "Beds")).first().pk)
    remember(session, chunk, range(1, 2))
    path = f"conversations/{session.pk}/"
    few = cost(member, path)
    for n in range(2, 12):
        make_turn(session, n)
    joined_to(make_turn(session, 13), make_joined(session, 12, "hm"))
    remember(session, chunk, range(2, 12))
    assert cost(member, path) == few
    assert few <= 19
    assert cost(browser(scoped, "owner"), path) <= 14


def test_the_data_page_does_not_cost_more_with_more_conversations_and_receipts(scoped, browser):
    owner = browser(scoped, "owner")
    few = cost(owner, "data/")
    for n in range(12):
        make_session(turns=1, who=f"device-{n}")
        DeletionReceipt.objects.create(reason="age", counts={"Session": n})
    assert cost(owner, "data/") <= few + 1  # the first receipts are read where there were none
    assert few <= 13


def test_imports_of_sites_do_not_cost_more_with_more_pages(scoped, corpus, browser):
    editor = browser(scoped, "editor")
    site = {"corpus": corpus, "url": "https://library.example/", "page_limit": 9, "queued_at": now()}
    first = SiteImport.objects.create(**site)
    make_document(corpus, "First", site_import=first)
    few = cost(editor, "documents/?part=list")
    for n in range(4):
        more = SiteImport.objects.create(**site)
        make_document(corpus, f"Page {n}", site_import=more)
        make_document(corpus, f"Leaf {n}", site_import=first)
    assert cost(editor, "documents/?part=list") == few


def test_a_document_does_not_cost_more_with_more_passages_and_grants(scoped, corpus, browser):
    member = browser(scoped, "owner")
    small, large = make_document(corpus, "Small", chunks=1), make_document(corpus, "Large", chunks=9)
    for slug in ("everyone", "members"):
        document_grant(document_id=large.pk, group_id=Audience.objects.get(slug=slug).group_id)
    assert cost(member, f"documents/{small.pk}/") == cost(member, f"documents/{large.pk}/")


def test_the_access_page_does_not_cost_more_with_more_corpora_and_audiences(scoped, corpus, browser):
    owner, everyone = browser(scoped, "owner"), Audience.objects.get(slug="everyone")
    corpus_grant(corpus_id=corpus.pk, group_id=everyone.group_id)
    few = cost(owner, "access/")
    for n in range(5):
        more = Corpus.objects.create(name=f"Corpus {n}", slug=f"more-{n}")
        readers = audience_create(name=f"Readers {n}")
        for group in (everyone.group_id, readers.group_id):
            corpus_grant(corpus_id=more.pk, group_id=group)
    assert cost(owner, "access/") == few
    assert few <= 14
