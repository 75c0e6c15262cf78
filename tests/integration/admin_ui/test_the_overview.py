"""The overview counts what there is, in this tenant, in the last seven days."""

from __future__ import annotations

from datetime import timedelta

import pytest

from admin_ui.selectors.overview import overview_of_tenant
from conversations.models import Turn, TurnState
from kernel.clock import now
from retrieval.models import DocumentState
from tenants.access import Principal
from tenants.scoping import current_tenant_id
from tests.integration.admin_ui.rows import make_document, make_session, make_turn

pytestmark = pytest.mark.django_db


def numbers_now():
    return overview_of_tenant(Principal(current_tenant_id(), sees_all=True))


def test_an_empty_workspace_has_no_shares_to_show(scoped):
    numbers = numbers_now()
    assert (numbers.turns, numbers.document_total) == (0, 0)
    assert numbers.sourced_share is numbers.liked_share is numbers.clean_share is None


def test_it_counts_answers_without_a_source_but_not_small_talk(scoped):
    session = make_session(turns=1)
    make_turn(session, 2, citations=[])
    make_turn(session, 3, citations=[], kind="small_talk", verdict="")
    make_turn(session, 4, citations=[], state=TurnState.FAILED, verdict="")
    numbers = numbers_now()
    assert (numbers.turns, numbers.answered, numbers.without_source, numbers.failed) == (4, 2, 1, 1)
    assert numbers.sourced_share == 50


def test_it_looks_back_seven_days(scoped):
    make_session(turns=3)
    Turn.objects.filter(n=1).update(created_at=now() - timedelta(days=8))
    Turn.objects.filter(n=2).update(created_at=now() - timedelta(days=20))
    numbers = numbers_now()
    assert (numbers.turns, numbers.turns_before) == (1, 1)
    assert sum(day.turns for day in numbers.days) == 2
    assert numbers.conversations == 1


def test_it_counts_verdicts_and_ratings(scoped):
    session = make_session(turns=3)
    make_turn(session, 4, verdict="invented", rating="down")
    Turn.objects.filter(n=1).update(rating="up")
    numbers = numbers_now()
    assert {verdict.mark.label: verdict.n for verdict in numbers.verdicts} == {"clean": 3, "invented": 1}
    assert (numbers.clean_share, numbers.liked_share) == (75.0, 50)


def test_it_counts_nothing_of_the_rival(scoped, rival):
    from tenants.scoping import tenant_scope

    with tenant_scope(rival.id):
        make_session(turns=5)
    assert numbers_now().turns == 0


def test_it_puts_failed_documents_before_what_waits_too_long(scoped, corpus, browser):
    late = {"state": DocumentState.QUEUED}
    waiting = make_document(corpus, "Waiting", **late)
    type(waiting).objects.filter(pk=waiting.pk).update(queued_at=now() - timedelta(minutes=9))
    make_document(corpus, "Just sent", **late)
    make_document(corpus, "Broken", state=DocumentState.FAILED, reason="Damaged.")
    page = browser(scoped, "owner").get("").content.decode()
    attention = page[page.index("Needs attention") :]
    assert attention.index("Broken") < attention.index("Waiting")
    assert "Just sent" not in attention


def test_an_analyst_is_told_of_no_more_documents_than_the_list_shows(scoped, corpus, browser):
    make_document(corpus, "Regions")
    make_document(corpus, "Broken", state=DocumentState.FAILED, reason="Damaged.")
    assert "All 2</a>" in browser(scoped, "owner").get("").content.decode()
    page = browser(scoped, "analyst").get("").content.decode()
    assert "All 0</a>" in page
    assert "Broken" not in page


@pytest.mark.parametrize("ratings, red", [(["up"], False), (["up", "down"], True), (["down"], True)])
def test_the_bar_of_ratings_is_red_only_for_those_who_disliked(scoped, browser, ratings, red):
    session = make_session(turns=0)
    for n, rating in enumerate(ratings, 1):
        make_turn(session, n, rating=rating)
    page = browser(scoped, "owner").get("").content.decode()
    bar = page.split("<h2>Rating</h2>")[1].split("</div>")[0]
    assert ('data-tone="contaminated"' in bar) is red
