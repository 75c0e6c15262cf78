"""A frame asks the last question of another thing only where that question asked the same: "how much for a chair leg?"."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("Do you repair chairs?", "how much for a table top?"),
        ("How much is delivery to Norway?", "how much for a chair leg?"),
        ("How much is delivery to Norway?", "how much would gift wrapping be?"),
        ("Who approves parental leave?", "how much for a parking permit?"),
        ("How much is egress?", "how long for a support ticket reply?"),
        ("Does a flu vaccination hurt?", "how much for a tetanus shot?"),
        ("Which trains carry bicycles?", "and how much for a sleeping berth?"),
        ("Is there a fee for returning a sofa?", "what would a lamp cost?"),
    ],
)
def test_a_question_with_a_thing_of_its_own_takes_nothing_along(before: str, message: str, talk: Any) -> None:
    talk.say(before, "Noted.")
    heard = talk.hear(message)
    assert (heard.query, heard.ruling.display) == (message, message)


@pytest.mark.parametrize(
    ("before", "message", "asked"),
    [
        ("How much is delivery to Norway?", "how much for Ireland?", "How much is delivery to Ireland?"),
        ("How much for a static IP?", "what about a load balancer?", "How much for a load balancer?"),
        (
            "How much does a static IP cost?",
            "how much for a load balancer?",
            "How much does a load balancer cost?",
        ),
        (
            "Is there a fee for returning a sofa?",
            "how much for a mattress?",
            "Is there a fee for returning a mattress?",
        ),
        (
            "What does the Standard plan cost?",
            "how much for Enterprise?",
            "What does the Enterprise plan cost?",
        ),
        (
            "How much does a passport cost for a child?",
            "how much for an adult?",
            "How much does a passport cost for an adult?",
        ),
        (
            "How much is a seat on the night train?",
            "how much for a bicycle?",
            "How much is a bicycle on the night train?",
        ),
        ("How long for a sofa to arrive?", "when for a lamp?", "How long for a lamp to arrive?"),
        ("Sofa delivery time?", "what about an armchair?", "armchair delivery time?"),
        ("Enterprise plan price?", "and Standard?", "Standard plan price?"),
    ],
)
def test_a_question_that_asked_the_same_is_asked_of_the_other_thing(
    before: str, message: str, asked: str, talk: Any
) -> None:
    talk.say(before, "Noted.")
    assert talk.hear(message).ruling.display.lower() == asked.lower()


@pytest.mark.parametrize(
    ("before", "message", "kept", "left"),
    [
        ("How much is delivery to Ireland?", "how long for Norway?", "delivery", "Ireland"),
        ("Do you deliver to Norway?", "how long for Ireland?", "deliver", "Norway"),
        ("Do you repair chairs?", "how long for a drawer?", "repair", "chairs"),
        ("Who approves parental leave?", "how long for a sabbatical?", "approves", "parental"),
    ],
)
def test_another_question_word_keeps_its_own_question_and_what_it_was_about(
    before: str, message: str, kept: str, left: str, talk: Any
) -> None:
    talk.say(before, "Noted.")
    query = talk.hear(message).query
    assert query.startswith(message) and kept in query and left not in query


def test_a_whole_thing_gives_way_with_all_its_names(talk: Any) -> None:
    talk.say("How much does the Standard plan cost per month?", "145 euros.")
    talk.say("how much for Enterprise?", "900 euros.")
    assert "Standard" not in {term.text for term in talk.state.exchanges[-1].inherited}
    assert "Standard" not in talk.hear("does it include phone support?").query
