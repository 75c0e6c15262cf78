"""What a wording says plainly about what it means: the first question, what was mentioned, a thing by its kind."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.pointing import began_with, in_full, points_at_first, spoken_of
from conversations.domain.words import key_of

OPENING = [
    ("Do you treat sports injuries?", "Yes, on weekdays."),
    ("Where can I park?", "Behind the house."),
    ("May I get a fee waiver as a student?", "Students may, with a letter of their school."),
    ("Which insurers do you bill?", "All public ones."),
]


def heard(talk: Any, message: str) -> Any:
    for said, answer in OPENING:
        talk.say(said, answer)
    return talk.hear(message).reading


@pytest.mark.parametrize(
    "message",
    [
        "Back to my first question: on which days?",
        "what about the thing we started with",
        "At the beginning I asked about something, is it daily?",
        "about my initial question, until when?",
    ],
)
def test_it_knows_the_first_question(talk: Any, message: str) -> None:
    reading = heard(talk, message)
    assert began_with(reading, talk.state.exchanges)[0].turn == 1


@pytest.mark.parametrize(
    "message",
    [
        "Which is the first floor?",
        "At the beginning of the month, is it open?",
        "Who came first?",
        "and then?",
    ],
)
def test_not_every_first_is_the_first_question(talk: Any, message: str) -> None:
    assert not points_at_first(heard(talk, message))


def test_what_was_mentioned_is_where_it_fell(talk: Any) -> None:
    reading = heard(talk, "What are the conditions of the waiver you mentioned earlier?")
    assert [exchange.turn for exchange in spoken_of(reading, talk.state.exchanges)] == [3]


def test_a_thing_called_by_its_kind_is_the_one_that_was_named(talk: Any) -> None:
    talk.say("Our ship lies in the Marlow dock.", "Noted.")
    reading = talk.hear("How deep is our dock?").reading
    assert [key_of(term.text) for term in in_full(reading, talk.state.slots)] == ["marlow dock"]
    other = talk.hear("How deep is the Severn dock?").reading
    assert in_full(other, talk.state.slots) == ()
