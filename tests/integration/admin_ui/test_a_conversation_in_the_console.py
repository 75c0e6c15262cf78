"""A conversation's page shows what was said, what was searched, and why."""

from __future__ import annotations

import re

import pytest

from conversations.models import TurnState
from tests.integration.admin_ui.rows import make_session, make_trace, make_turn

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(scoped, browser):
    editor = browser(scoped, "editor")

    def read(session, query=""):
        answer = editor.get(f"conversations/{session.pk}/{query}")
        assert answer.status_code == 200
        return answer.content.decode()

    return read


def test_it_marks_the_words_that_were_carried_over(scoped, page):
    assert "and the RPO 1 <ins>Dublin recovery</ins>?" in page(make_session(turns=1))


def test_a_search_is_worded_as_it_was_in_the_chat(scoped, page):
    session = make_session(turns=0)
    make_turn(session, 1, message="and Dublin?", query="RPO Dublin", display="What is the RPO in Dublin?")
    html = page(session)
    searched = html[html.index('class="searched"') : html.index("</p>", html.index('class="searched"'))]
    assert "<ins>What is the RPO in</ins> Dublin?" in searched and "RPO Dublin" not in searched


def test_it_shows_the_trace_of_the_turn(scoped, page):
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page(make_session(turns=2))))
    for part in (
        "follow-up",
        "clean",
        "What is the RTO?",
        "ellipsis",
        "0.0328",
        "1 model call",
        "41 ms",
        "400 in the",
    ):
        assert part in text


def test_it_names_what_the_guard_kept_out(scoped, page):
    session = make_session(turns=0)
    ruling = {"verdict": "contaminated", "action": "repaired", "origin": "model", "offending": ["Frankfurt"]}
    ruling["objections"] = [{"verdict": "contaminated", "words": "Frankfurt", "reason": "is superseded"}]
    trace = make_trace(
        1, ruling=ruling, rewrite={"query": "RPO Frankfurt Dublin"}, revoked={"slots": ["Aurora"]}
    )
    make_turn(session, 1, verdict="contaminated", trace=trace)
    text = page(session)
    assert "<del>Frankfurt</del> is superseded" in text
    assert "RPO Frankfurt Dublin" in text
    assert "repaired before the search" in text
    assert "<del>Aurora</del>" in text


def test_it_draws_a_lane_for_every_entity_with_its_changes(scoped, page):
    text = page(make_session(turns=3))
    assert "Dublin: live for 3 turns" in text
    assert "Turn 1: Dublin live (the user named it)" in text
    assert "Turn 3: Dublin mentioned again" in text


def test_it_escapes_what_people_and_models_write(scoped, page):
    bad = "<script>alert(1)</script>"
    session = make_session(
        turns=1, message=bad, query=bad, answer=f"{bad} ![x](http://evil/x.png) [go](javascript:x)"
    )
    text = page(session)
    assert "<script>alert" not in text
    assert "evil/x.png" not in re.findall(r'src="[^"]*"', text)
    assert '<img src="http' not in text
    assert 'href="javascript' not in text


def test_it_lives_without_a_trace_and_with_a_failed_turn(scoped, page):
    session = make_session(turns=1, traced=False)
    failed = {"code": "turn_broken", "message": "Something went wrong on our side."}
    make_turn(session, 2, state=TurnState.FAILED, answer="", citations=[], error=failed, traced=False)
    make_turn(session, 3, trace={"stages": []})
    text = page(session)
    assert "No trace was stored" in text
    assert "Something went wrong on our side." in text


def test_a_link_to_a_turn_finds_its_page(scoped, page):
    session = make_session(turns=45)
    assert 'id="turn-45"' not in page(session)
    far = page(session, "?turn=45")
    assert 'id="turn-45"' in far
    assert 'id="turn-1"' not in far
    assert 'href="?turn=1#turn-1"' in far
    assert 'href="#turn-45"' in far


@pytest.mark.parametrize(
    "query", ["?turn=x", "?turn=-4", "?turn=99999999999999999999", "?page=0", "?page=77", "?page=²"]
)
def test_an_odd_address_still_shows_the_conversation(scoped, page, query):
    assert 'id="turn-1"' in page(make_session(turns=1), query)


def test_the_list_finds_by_words_and_by_verdict(scoped, browser):
    make_session(turns=1, who="wile", message="Where is the anvil?")
    make_session(turns=1, who="bugs", verdict="contaminated")
    analyst = browser(scoped, "analyst")

    def found(query: str) -> set[str]:
        text = analyst.get(f"conversations/?{query}").content.decode()
        return {who for who in ("wile", "bugs") if f"About {who}" in text}

    assert found("") == {"wile", "bugs"}
    assert found("q=ANVIL") == {"wile"}
    assert found("verdict=flagged") == {"bugs"}
    assert found("verdict=clean") == {"wile"}
    assert found("q=no+such") == set()
