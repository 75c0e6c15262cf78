"""The list of turns by verdict, rating, policy, person and words, alone and together."""

from __future__ import annotations

import re
from typing import Any

import pytest

from conversations.models import Session
from tenants.models import EndUser
from tenants.services.versions import version_draft, version_publish
from tests.integration.admin_ui.rows import make_session, make_turn

pytestmark = pytest.mark.django_db


@pytest.fixture
def turns(scoped) -> None:
    for n, (message, fields) in enumerate(
        {
            "Do you clean windows?": {"verdict": "contaminated", "rating": "down", "policy_version": 1},
            "Do you clean floors?": {"verdict": "clean", "rating": "up", "policy_version": 1},
            "Where do I park?": {"verdict": "clean", "rating": "", "display": "Where do I park at 50 % off?"},
        }.items()
    ):
        session = make_session(turns=0, who=f"visitor {n}")
        make_turn(session, 1, message=message, **{"query": "", **fields})
        EndUser.objects.filter(pk=session.end_user_id).update(name=f"Ada {n}")


def found(browser_of: Any, query: str) -> list[str]:
    answer = browser_of.get(f"turns/?{query}")
    assert answer.status_code == 200
    return re.findall(r'<strong dir="auto">([^<]+)</strong>', answer.content.decode())


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("verdict=contaminated", {"windows"}),
        ("rating=up", {"floors"}),
        ("rating=none", {"park"}),
        ("policy=1", {"windows", "floors"}),
        ("policy=0", {"park"}),
        ("person=ada+2", {"park"}),
        ("text=CLEAN", {"windows", "floors"}),
        ("text=clean&rating=up&policy=1&person=Ada", {"floors"}),
        ("text=clean&rating=none", set()),
        ("verdict=nonsense&rating=nonsense&policy=nonsense", {"windows", "floors", "park"}),
        ("text=%00&person=%00", {"windows", "floors", "park"}),
        ("about=contaminated&rating=down", {"windows"}),
    ],
)
def test_only_what_fits_is_listed(turns, scoped, browser, query, words):
    listed = found(browser(scoped, "analyst"), query)
    assert {word for word in ("windows", "floors", "park") if any(word in one for one in listed)} == words
    assert len(listed) == len(words)


def test_words_of_a_search_are_found_and_shown_to_those_who_see_every_document(turns, scoped, browser):
    for role, words in (("editor", 1), ("analyst", 0)):
        console = browser(scoped, role)
        assert len(found(console, "text=50+%25+off")) == words
        assert (b"at 50 % off" in console.get("turns/").content) == bool(words)


def test_the_versions_of_the_policy_are_offered_and_what_is_chosen_stays_chosen(turns, scoped, browser):
    version_publish(kind="policy", name="scope", number=version_draft(kind="policy", name="scope").number)
    page = browser(scoped, "owner").get("turns/?policy=1&text=clean").content.decode()
    assert '<option value="1" selected>Policy 1</option>' in page
    assert '<option value="0">Built-in policy</option>' in page
    assert 'value="clean"' in page and "Clear" in page


def test_nothing_that_fits_says_so(turns, scoped, browser):
    assert b"No turn fits." in browser(scoped, "owner").get("turns/?text=harbour").content


def test_the_rival_finds_nothing(turns, rival, browser):
    assert Session.objects.exists()
    assert found(browser(rival, "owner"), "text=clean") == []
