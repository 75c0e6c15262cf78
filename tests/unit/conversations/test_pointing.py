"""What a wording says plainly about what it means: the first question, what was mentioned, a thing by its kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conversations.domain.pointing import (
    began_with,
    in_full,
    known_class,
    points_at_first,
    points_at_question,
    spoken_of,
    sums_up,
)
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
        "With that treatment we'd dealt with first, is a letter needed?",
        "The people you sent me to at first, do they work on Sundays?",
        "what we talked about first: is it free?",
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
        "Should I have it checked first?",
        "Who is seen first?",
        "I was treated first class, why?",
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


@pytest.mark.parametrize(
    ("note", "found"),
    [
        ("Marlow: draught limit class 3.", ["limit class 3"]),
        ("The Marlow dock is in zone B.", ["zone b"]),
        ("The Marlow dock has tariff tier II since May.", ["tariff tier ii"]),
        ("Marlow is class 3 and Severn is class 4.", []),
        ("The Marlow dock is 9 metres deep.", []),
    ],
)
def test_a_thing_called_by_its_kind_brings_the_class_it_was_said_to_be(
    talk: Any, note: str, found: list[str]
) -> None:
    talk.say("Our ship lies in the Marlow dock.", "Noted.")
    reading = talk.hear("How deep is our dock?").reading
    noted = [replace(s, notes=(note,)) if "dock" in s.name else s for s in talk.state.slots]
    assert [term.key for term in known_class(reading, noted)] == found


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("Back to my first question: on which days?", True),
        ("what about the thing we started with", False),
        ("Is that open to question?", False),
    ],
)
def test_it_knows_the_question_from_its_subject(talk: Any, message: str, question: bool) -> None:
    assert points_at_question(heard(talk, message)) is question


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("Can you summarise what applies to us?", True),
        ("so, to sum up?", True),
        ("Please wrap up.", True),
        ("What is the sum of the fees?", False),
        ("Is the cover wrapped?", False),
    ],
)
def test_it_knows_a_request_to_sum_up(talk: Any, message: str, asked: bool) -> None:
    assert sums_up(heard(talk, message)) is asked


def test_a_question_that_stands_alone_begins_a_thread_of_its_own_unless_it_is_near(talk: Any) -> None:
    talk.say("Can a gas-powered car go on the ferry?", "Yes, with its valve shut.")
    talk.say("Where are the lockers at Ardvale station?", "Beside gate 2.")
    talk.say("Which lockers at Ardvale station are large?", "The bottom row.")
    first, second, third = (exchange.thread for exchange in talk.state.exchanges)
    assert first != second
    assert second == third


def test_who_goes_on_with_an_earlier_turn_of_the_same_stretch_begins_no_new_one(talk: Any) -> None:
    talk.say("Which boats can I hire?", "Kayaks and dinghies.")
    talk.say("Do boats need a deposit?", "Fifty crowns.")
    talk.say("How long may I keep a kayak?", "For a day.")
    talk.say("and the dinghies?", "For a day as well.")
    assert len({exchange.segment for exchange in talk.state.exchanges}) == 1
