"""No page asks the database more often because it shows more."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from retrieval.models import Corpus
from retrieval.services import corpus_grant, document_grant
from tenants.models import Audience
from tests.integration.admin_ui.rows import make_document, make_session, make_turn

pytestmark = pytest.mark.django_db


def cost(browser, path: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as asked:
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
@pytest.mark.parametrize("path", ["", "documents/", "documents/?part=list&q=ready", "conversations/?q=about"])
def test_lists_do_not_cost_more_with_more_rows(scoped, corpus, browser, path, role):
    corpus_grant(corpus_id=corpus.pk, group_id=Audience.objects.get(slug="everyone").group_id)
    member = browser(scoped, role)
    grow(corpus, 1)
    few = cost(member, path)
    grow(corpus, 6)
    assert cost(member, path) == few
    assert few <= 22


def test_a_conversation_does_not_cost_more_with_more_turns(scoped, browser):
    session, member = make_session(turns=1), browser(scoped, "analyst")
    path = f"conversations/{session.pk}/"
    few = cost(member, path)
    for n in range(2, 12):
        make_turn(session, n)
    assert cost(member, path) == few
    assert few <= 15
    assert cost(browser(scoped, "owner"), path) <= 9


def test_a_document_does_not_cost_more_with_more_passages_and_grants(scoped, corpus, browser):
    member = browser(scoped, "owner")
    small, large = make_document(corpus, "Small", chunks=1), make_document(corpus, "Large", chunks=9)
    for slug in ("everyone", "members"):
        document_grant(document_id=large.pk, group_id=Audience.objects.get(slug=slug).group_id)
    assert cost(member, f"documents/{small.pk}/") == cost(member, f"documents/{large.pk}/")
