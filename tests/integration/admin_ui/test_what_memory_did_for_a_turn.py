"""Beside a turn stands what memory gave it, what came back from the archive, and which messages were one thought."""

from __future__ import annotations

import re

import pytest

from tests.integration.admin_ui.rows import (
    joined_to,
    make_joined,
    make_session,
    make_trace,
    make_turn,
)

pytestmark = pytest.mark.django_db
HOUR = 3600


@pytest.fixture
def page(scoped, browser):
    editor = browser(scoped, "editor")

    def read(session, query=""):
        answer = editor.get(f"conversations/{session.pk}/{query}")
        assert answer.status_code == 200
        return re.sub(r"\s+", " ", answer.content.decode())

    return read


@pytest.fixture
def traced(scoped, page):
    """The page of a conversation whose third turn was traced with `more`."""

    def read(**more):
        session = make_session(turns=2)
        make_turn(session, 3, trace=make_trace(3, **more))
        return page(session)

    return read


def test_it_shows_what_was_added_to_the_prompt(traced):
    told = {
        "resume_note": "This conversation continues after 3 days.",
        "correction_note": "The user corrected what was said before: 14 instead of 12.",
        "summary": "Asked about beds: Forty.",
        "facts": ["The user said: we are five", "Ward 7 has 40 beds"],
    }
    html = traced(background=told)
    assert "resume note · correction note · summary · 2 facts" in html
    for text in (told["resume_note"], told["correction_note"], told["summary"], *told["facts"]):
        assert text in html


def test_it_says_that_no_prompt_was_written_where_no_model_was_asked(traced):
    assert "this is what its prompt would have been given" in traced(background={"summary": "x"}, tokens={})
    assert "this is what its prompt would have been given" not in traced(background={"summary": "x"})


def test_it_names_the_turns_that_came_back_from_the_archive(traced):
    exchanges = [{"turn": 1, "message": "beds?", "answer": "forty"}]
    scope = {"strategy": "liveness", "exchanges": exchanges, "slots": [], "closed": [], "antecedent": 1}
    html = traced(recalled=[1, 2], scope=scope)
    assert 'Recalled from the archive: <a href="#turn-1">turn 1</a>, <a href="#turn-2">turn 2</a>' in html
    assert html.count("recalled from the archive</small>") == 1


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, ""), (5 * HOUR, ""), (6 * HOUR, "6 hours later"), (75 * HOUR, "3 days later")],
)
def test_a_long_pause_parts_the_turns(traced, seconds, shown):
    html = traced(idle_seconds=seconds)
    assert ('class="pause"' in html) == bool(shown)
    assert shown in html


def test_it_warns_where_a_search_found_nothing_new(traced):
    assert "nothing new was found" in traced(novelty=0.0, novelty_alarm=True)
    assert "nothing new was found" not in traced(novelty=0.0, novelty_alarm=False)


def test_a_passage_in_hand_is_told_from_a_found_one(traced):
    found = make_trace(1)["candidates"][0]
    carried = {**found, "title": "In hand", "carried": True, "score": 0.0, "chosen": False}
    html = traced(candidates=[found, carried])
    assert "2 at hand · 1 carried over · 1 cited" in html
    assert html.count("carried over from the answer before, not searched") == 1


def test_it_says_how_exactly_tokens_were_counted(traced):
    assert "own vocabulary o200k_base" in traced(token_vocabulary="o200k_base")
    assert "Estimated, rather too many" in traced(token_vocabulary="estimate")
    assert "vocabulary" not in traced()


def test_messages_that_were_answered_together_are_one_card(scoped, page):
    session = make_session(turns=1)
    first, second = make_joined(session, 2, "hm"), make_joined(session, 3, "and the price")
    joined_to(make_turn(session, 4, message="in Dublin?", query="price in Dublin?"), first, second)
    html = page(session)
    assert html.count("<article") == 2
    for n in (2, 3, 4):
        assert html.count(f'id="turn-{n}"') == 1
    assert "Answered as one thought" in html
    assert "<ins>price" not in html  # said by the user in the message before
    assert 'aria-label="Turn 2, answered with turn 4' in html


def test_a_thought_over_two_pages_is_whole_on_the_second_and_linked_from_the_first(scoped, page):
    session = make_session(turns=39)
    early = make_joined(session, 40, "a word before")
    joined_to(make_turn(session, 41), early)
    first, second = page(session), page(session, "?turn=41")
    assert 'Answered together with <a href="?turn=41#turn-41">turn 41</a>' in first
    assert "a word before" in second
    assert 'id="turn-41"' not in first


def test_links_to_earlier_turns_work_across_pages(scoped, page):
    session = make_session(turns=45)
    assert 'antecedent is <a href="?turn=1#turn-1">turn 1</a>' in page(session, "?turn=45")
