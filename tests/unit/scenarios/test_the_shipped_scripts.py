"""The shipped scenarios contradict neither themselves nor their documents."""

from __future__ import annotations

import re
from functools import lru_cache

import pytest

from conversations.evaluation.matching import folded
from conversations.evaluation.scenarios.generated import COMPARED
from conversations.evaluation.scenarios.judging import holds_all, holds_any
from conversations.evaluation.scenarios.script import Script
from conversations.evaluation.scenarios.shelf import script_named
from retrieval.adapters.converters.read import read_document

ANALYST = script_named("compliance_analyst")
LONG = script_named("two_hundred_turns")
WORDS_PER_PAGE = 420


@lru_cache(maxsize=1)
def texts() -> dict[str, str]:
    """The documents as the product reads them."""
    return {path.name: folded(read_document(path.read_bytes(), path.name).text) for path in ANALYST.documents}


def test_the_regulation_has_four_to_six_documents_and_twelve_to_twenty_pages():
    words = sum(len(path.read_text(encoding="utf-8").split()) for path in ANALYST.documents)

    assert 4 <= len(ANALYST.documents) <= 6
    assert 12 <= words / WORDS_PER_PAGE <= 20


def test_the_analyst_has_fifteen_turns_of_which_three_are_shown_in_detail():
    assert len(ANALYST.turns) == 15
    assert ANALYST.judged == (5, 10, 13)


@pytest.mark.parametrize("turn", ANALYST.turns, ids=lambda turn: f"turn {turn.n}")
def test_every_gold_quote_stands_in_its_document(turn):
    assert turn.expected.gold
    for reference in turn.expected.gold:
        name, _, quote = reference.partition("#")
        assert quote and quote in texts()[name]


@pytest.mark.parametrize("turn", ANALYST.turns, ids=lambda turn: f"turn {turn.n}")
def test_every_required_term_was_said_or_stands_in_a_gold_passage(turn):
    said = [earlier.message for earlier in ANALYST.turns[: turn.n]]
    known = " ".join((*said, *(texts()[gold.partition("#")[0]] for gold in turn.expected.gold)))
    for term in turn.expected.required:
        assert holds_any(known, term)


@pytest.mark.parametrize("turn", ANALYST.turns, ids=lambda turn: f"turn {turn.n}")
def test_nothing_is_forbidden_that_the_message_asks_about(turn):
    named = [term for term in turn.expected.forbidden if holds_any(turn.message, term)]

    # What a correction takes back stands in it and is not searched for.
    assert named == (["2030"] if turn.n == 10 else [])


def test_every_key_fact_stands_in_the_message_that_states_it():
    for fact in (*ANALYST.facts, *LONG.facts):
        script = ANALYST if fact in ANALYST.facts else LONG
        assert holds_all(script.turns[fact.turn - 1].message, fact.words)
        if fact.corrects:
            assert holds_all(script.turns[fact.corrects - 1].message, fact.outdated)


def test_the_long_conversation_is_the_same_every_time():
    assert script_named("two_hundred_turns") == LONG
    assert len(LONG.turns) == 200


def test_the_long_conversation_never_asks_the_same_twice_except_after_a_return():
    compared = {n for end in COMPARED for n in (end - 1, end)}
    messages = [turn.message for turn in LONG.turns if turn.n % 10 != 0 and turn.n not in compared]
    named = [
        message for message in messages if not re.search(r"\b(it|that|they|them|there|this|both)\b", message)
    ]

    assert len(named) == len(set(named))


@pytest.mark.parametrize("n", [10, 50, 200])
def test_the_turns_that_are_compared_stand_at_the_same_place_of_their_rounds(n):
    turn = LONG.turns[n - 1]

    assert turn.expected.depends
    assert turn.expected.continues == n - 1
    assert LONG.turns[n - 2].expected.continues


def returns(script: Script) -> list[int]:
    far = [(turn.n, turn.expected.continues) for turn in script.turns if turn.expected.continues]
    return [n - before for n, before in far if n - before > 1]


def test_the_long_conversation_returns_over_short_and_long_distances():
    assert min(returns(LONG)) <= 8
    assert max(returns(LONG)) >= 90


@pytest.mark.parametrize(
    "turn", [t for t in LONG.turns if not t.expected.depends], ids=lambda turn: f"turn {turn.n}"
)
def test_a_turn_that_stands_alone_says_itself_what_it_is_about(turn):
    assert holds_all(turn.message, turn.expected.required)


def test_the_turns_whose_prompts_are_compared_ask_the_same_after_the_same():
    asked = {(LONG.turns[n - 2].message, LONG.turns[n - 1].message) for n in COMPARED}

    assert len(asked) == 1
    assert len({turn.message for turn in LONG.turns}) > 150
