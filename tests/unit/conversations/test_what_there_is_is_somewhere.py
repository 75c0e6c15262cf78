""" "Is there a lift?" is asked of the one place that the talk is about, and takes nothing else of it along."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("question", "message", "searched"),
    [
        ("When does the gym in Oslo open?", "are there any lockers", "are there any lockers Oslo"),
        ("What are the opening hours in Dublin?", "and is there a café", "and is there a café Dublin"),
        ("What is the RPO in Dublin?", "Are there any GPU machines?", "Are there any GPU machines? Dublin"),
        ("Who runs the clinic in Bergen?", "is there a Sleep Lab?", "is there a Sleep Lab? Bergen"),
        ("May I work from the office in Lisbon?", "Is there a canteen?", "Is there a canteen? Lisbon"),
    ],
)
def test_what_there_is_is_asked_of_the_place_in_hand(
    talk: Any, question: str, message: str, searched: str
) -> None:
    talk.say(question, "That depends.")
    assert talk.hear(message).query == searched


def test_the_place_stays_in_hand_over_a_question_that_leans_on_it(talk: Any) -> None:
    talk.say("When does the Leeds store open?", "At nine.")
    talk.say("who manages it", "Sam does.")
    assert "Leeds" in talk.hear("Is there a Repair Bench?").query


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("how do I return shoes", "is there a lift?"),  # nothing was said of a place
        ("do you deliver to Norway or Sweden?", "is there a lift?"),  # of two
        ("What are the opening hours in Dublin?", "is there a café in Leeds?"),  # it says where
        ("What are the opening hours in Dublin?", "is there a Leeds store?"),
        ("When does the gym in Oslo open?", "is there a cancellation fee"),  # no thing to be found somewhere
        ("When does the gym in Oslo open?", "is there a guarantee on shoes"),
        ("When does the gym in Oslo open?", "is there a rule that I should know"),
    ],
)
def test_it_takes_no_place_along_where_none_is_meant(talk: Any, question: str, message: str) -> None:
    talk.say(question, "That depends.")
    assert talk.hear(message).query == message
