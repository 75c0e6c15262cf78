"""Every number of the overview leads to exactly the turns behind it."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from admin_ui.selectors.turns import ABOUT, PER_PAGE
from conversations.audits.records import SUBJECT
from conversations.models import Turn, TurnState
from kernel.clock import now
from tenants.models import EndUser
from tenants.scoping import tenant_scope
from tests.integration.admin_ui.rows import make_session, make_turn

pytestmark = pytest.mark.django_db
LINK = re.compile(r'href="[^"]*/turns/(\?about=(\w+)&amp;days=(\d+))"[^>]*>\s*(\d+)')


@pytest.fixture
def week(scoped):
    """One turn of each kind, some of them before the week, and the rival's."""
    session = make_session(turns=2)
    make_turn(session, 3, citations=[], message="Where is the crane kept?")
    make_turn(session, 4, citations=[], kind="small_talk", verdict="")
    make_turn(session, 5, state=TurnState.FAILED, verdict="")
    make_turn(session, 6, verdict="contaminated")
    make_turn(session, 7, verdict="invented", rating="down")
    make_turn(session, 8, rating="up")
    make_turn(session, 9)
    Turn.objects.update(finished_at=now())
    Turn.objects.filter(n=8).update(created_at=now() - timedelta(seconds=30))
    Turn.objects.filter(n=1).update(
        created_at=now() - timedelta(days=9), finished_at=now() - timedelta(days=9)
    )
    return session


def numbers(console, days):
    page = console.get(f"?days={days}").content.decode()
    return {about: (query.replace("&amp;", "&"), int(n)) for query, about, _, n in LINK.findall(page)}


@pytest.mark.parametrize("days", [1, 7, 28])
def test_the_list_has_as_many_turns_as_the_number_says(week, browser, days):
    owner = browser(week.tenant, "owner")
    found = numbers(owner, days)
    assert {"all", "unanswered", "answered", "contaminated", "judged", "up", "down", "failed", "slow"} <= set(
        found
    )
    for about, (query, n) in found.items():
        page = owner.get(f"turns/{query}").content.decode()
        assert len(re.findall(r"#turn-\d+", page)) == n, about
    assert found["all"][1] == (8 if days < 9 else 9)
    assert (found["unanswered"][1], found["failed"][1], found["contaminated"][1], found["slow"][1]) == (
        1,
        1,
        1,
        1,
    )


def test_a_turn_of_the_list_opens_in_its_conversation(week, browser):
    page = browser(week.tenant, "analyst").get("turns/?about=unanswered&days=7").content.decode()
    assert "Where is the crane kept?" in page
    assert f"conversations/{week.pk}/?turn=3#turn-3" in page


def test_the_rival_sees_none_and_an_empty_list_says_so(week, rival, browser):
    owner = browser(rival, "owner")
    assert all(n == 0 for _, n in numbers(owner, 7).values())
    for about, one in ABOUT.items():
        assert one.none in owner.get(f"turns/?about={about}").content.decode().replace("&#x27;", "'")


def test_conversations_of_the_leakage_audit_are_nobodys(week, browser):
    EndUser.objects.filter(pk=week.end_user_id).update(subject=SUBJECT)
    owner = browser(week.tenant, "owner")
    assert numbers(owner, 7)["all"][1] == 0
    assert "No conversation yet" in owner.get("conversations/").content.decode()


def test_the_list_costs_the_same_with_one_turn_and_with_a_page_of_them(
    week, browser, django_assert_max_num_queries
):
    owner = browser(week.tenant, "owner")
    with tenant_scope(week.tenant_id):
        for n in range(10, 10 + 2 * PER_PAGE):
            make_turn(week, n)
    with django_assert_max_num_queries(30):
        page = owner.get("turns/?page=2").content.decode()
    assert len(re.findall(r"#turn-\d+", page)) == PER_PAGE


def test_time_and_tokens_are_told(week, browser):
    page = browser(week.tenant, "owner").get("").content.decode()
    assert "95 of 100 within" in page and "the offline engine costs none" in page
