"""The search page: what a query finds with whose eyes, its filters, and why a document is not among the hits."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from kernel.clock import now
from retrieval import services, wiring
from retrieval.models import Document
from tenants.models import Audience
from tenants.services import audience_create
from tenants.services.end_users import end_user_for_subject
from tests.integration.retrieval.conftest import DirectConverter, WordEmbeddings

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def tools(stack):
    with services.equipped(replace(wiring.make(), embeddings=WordEmbeddings(), converter=DirectConverter())):
        yield


@pytest.fixture
def shelf(scoped):
    return services.corpus_create(name="Branch library")


@pytest.fixture
def add(shelf):
    def add(title, text, **options):
        document = services.document_upload(
            corpus_id=shelf.pk, filename=f"{title}.md", data=f"# {title}\n\n{text}".encode(), **options
        )
        services.document_index(document_id=document.pk)
        return document

    return add


@pytest.fixture
def books(add):
    return {
        "Loans": add("Loans", "A loan of a book ends after four weeks.", tags=["loans"]),
        "Fines": add("Fines", "A book that is late costs a fine.", tags=["money"]),
    }


def searched(console, **query):
    page = console.get(f"search/?{urlencode({'q': 'loan of a book', **query})}")
    assert page.status_code == 200
    return page.context["found"], page.content.decode()


def titles(rows):
    return [row.hit.title for row in rows]


def test_it_shows_hits_with_ranks_scores_and_marked_words(scoped, books, browser):
    found, html = searched(browser(scoped, "editor"))
    assert titles(found.shown) == ["Loans", "Fines"]
    first = found.shown[0]
    assert (first.place, first.hit.dense_rank, first.hit.lexical_rank, first.fused) == (1, 1, 1, 100)
    assert "<mark>loan</mark>" in html and "<mark>book</mark>" in html
    assert f"/documents/{books['Loans'].pk}/?passage=0#chunk-{first.hit.chunk_id}" in html


def test_without_a_query_it_says_what_to_do(scoped, browser):
    html = browser(scoped, "analyst").get("search/").content.decode()
    assert "Try what people ask" in html


def test_every_filter_narrows_and_what_it_keeps_out_is_listed_with_its_reason(scoped, books, shelf, browser):
    editor, day = browser(scoped, "editor"), timedelta(days=1)
    Document.objects.filter(pk=books["Fines"].pk).update(uploaded_at=now() - 9 * day)
    since = (now() - day).date().isoformat()
    for query in ({"tag": "loans"}, {"document": "Loans"}, {"since": since}):
        found, html = searched(editor, **query)
        assert (titles(found.shown), titles(found.left_out)) == (["Loans"], ["Fines"]), query
    assert "too old" in html
    assert titles(searched(editor, until=since)[0].shown) == ["Fines"]
    assert not searched(editor, document="No such book")[0].shown
    other = services.corpus_create(name="Archive")
    assert not searched(editor, corpus=other.pk)[0].shown
    assert len(searched(editor, corpus=shelf.pk)[0].shown) == 2


def test_somebody_elses_eyes_find_what_they_may_see(scoped, books, browser):
    readers = audience_create(name="Readers")
    person = end_user_for_subject(subject="reader-7", audiences=["Readers"])
    services.document_grant(document_id=books["Fines"].pk, group_id=readers.group_id)
    editor = browser(scoped, "editor")
    for query in (
        {"as": f"audience:{readers.pk}"},
        {"as": "person", "person": "reader-7"},
        {"as": f"end-user:{person.pk}"},
    ):
        found, html = searched(editor, **query)
        assert (titles(found.shown), titles(found.left_out)) == (["Fines"], ["Loans"]), query
        assert "may not be seen" in html
    assert not searched(editor, **{"as": "anonymous"})[0].shown
    everyone = Audience.objects.get(slug="everyone")
    services.document_grant(document_id=books["Loans"].pk, group_id=everyone.group_id)
    assert titles(searched(editor, **{"as": "anonymous"})[0].shown) == ["Loans"]


def test_a_person_whom_nobody_knows_is_said_to_be_unknown(scoped, books, browser):
    for query in ({"as": "person", "person": "nobody@x.example"}, {"as": "member:9"}, {"as": "audience:x"}):
        page = browser(scoped, "editor").get(f"search/?{urlencode({'q': 'loan', **query})}")
        assert page.context["fault"].code == "not_found"


def test_an_analyst_sees_with_their_own_eyes_only(scoped, books, browser):
    analyst = browser(scoped, "analyst")
    readers = audience_create(name="Readers")
    services.document_grant(document_id=books["Fines"].pk, group_id=readers.group_id)
    found, html = searched(analyst, **{"as": f"audience:{readers.pk}", "why": "Fines"})
    assert found.eyes.is_me and not found.shown and not found.left_out
    assert "Readers" not in html and found.why.document is None


def test_why_a_document_is_not_found(scoped, books, add, browser):
    editor = browser(scoped, "editor")
    services.document_restrict(document_id=books["Fines"].pk, restricted=True)
    members = Audience.objects.get(slug="members")
    services.corpus_grant(corpus_id=books["Fines"].corpus_id, group_id=members.group_id)
    found, html = searched(editor, why="fines", **{"as": f"audience:{members.pk}"})
    assert found.why.document.pk == books["Fines"].pk
    assert "restricted" in found.why.reasons[0] and "cannot be among the hits" in html
    assert "number 2" in searched(editor, why="Fines", limit="5")[1]
    add("Fines abroad", "None.")
    assert titles_of_several(searched(editor, why="fine")[0]) == ["Fines", "Fines abroad"]
    assert "No document is called" in searched(editor, why="Opening hours")[1]


def titles_of_several(found):
    return [document.title for document in found.why.several]


def test_the_rival_finds_nothing_and_names_nobody(scoped, rival, books, browser):
    readers = audience_create(name="Readers")
    stranger = browser(rival, "owner")
    assert not searched(stranger)[0].shown
    page = stranger.get(f"search/?{urlencode({'q': 'loan', 'as': f'audience:{readers.pk}'})}")
    assert page.context["fault"].code == "not_found"
    assert searched(stranger, why="Fines")[0].why.document is None


def test_more_passages_cost_no_more_queries(scoped, books, add, browser):
    editor = browser(scoped, "editor")
    searched(editor, why="Loans", limit="50")

    def cost():
        with CaptureQueriesContext(connection) as asked:
            searched(editor, why="Loans", limit="50")
        texts = [str(query["sql"]) for query in asked]
        return len([text for text in texts if not text.startswith(("SAVEPOINT", "RELEASE"))])

    few = cost()
    for n in range(8):
        add(f"Book {n}", "A book on loan.")
    assert cost() == few


def test_the_query_is_embedded_once_with_all_its_reasons(scoped, books, browser, monkeypatch):
    embedded, embed = [], WordEmbeddings.embed_queries
    monkeypatch.setattr(
        WordEmbeddings, "embed_queries", lambda self, texts: embedded.append(texts) or embed(self, texts)
    )
    found, _ = searched(browser(scoped, "editor"), why="Fines")
    assert found.shown and found.why.told.place == 2 and found.why.best
    assert embedded == [["loan of a book"]]
