"""What a person says of themselves beside a question is not what it was about, and a place is not the thing there."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.words import contains_key, key_of


def holds(query: str, words: str) -> bool:
    return contains_key(key_of(query), key_of(words))


@pytest.mark.parametrize(
    ("asked", "answer", "subject", "said_of_oneself"),
    [
        ("We run a small hotel. What discount would we get on a trade account?", "Twelve percent.", "trade account", "hotel"),
        ("I'm a full-time nurse and new here. How many tunics will I get?", "Five tunics.", "tunics", "nurse"),
        ("I work as a courier. Can I lease a cargo bike?", "For 12 months.", "cargo bike", "courier"),
        ("I'm a teacher, how much is the annual ticket?", "It is 30 euros.", "annual ticket", "teacher"),
        ("Our auditors insist that the encryption keys stay here. Is there a way?", "Yes, with a proxy.", "encryption keys", "auditors"),
        ("My landlord wants a copy of the gas certificate. How do I get one?", "By post.", "gas certificate", "landlord"),
        ("My sister needs a wheelchair. Do I have to book a ramp?", "A day ahead.", "ramp", "sister"),
        ("My uncle wants to fly. Do you have a balloon ride?", "Yes.", "balloon ride", "uncle"),
    ],
)  # fmt: skip
def test_who_asks_and_for_whom_is_not_what_was_asked_about(
    talk: Any, asked: str, answer: str, subject: str, said_of_oneself: str
) -> None:
    talk.say(asked, answer)
    heard = talk.hear("and does it cost extra on holidays?")
    assert holds(heard.query, subject)
    assert not holds(heard.query, said_of_oneself)


@pytest.mark.parametrize(
    ("asked", "answer", "kept"),
    [
        # The subject stands in the first sentence, in words that look like a description of oneself.
        ("I'm having a pelvic ultrasound on Thursday. Can I eat breakfast?", "Yes, as usual.", "pelvic ultrasound"),
        ("My fridge keeps beeping. Is the repair free?", "Within five years it is.", "fridge"),
        ("I run a marathon in May. Which insoles do you advise?", "Gel ones.", "insoles"),
        # Nothing but an attribute was asked, and of nothing else.
        ("I'm a part-time teacher. What is the salary?", "It depends on the band.", "teacher"),
        ("My daughter is ill. What do I do?", "Call us.", "daughter"),
        # Whom a rule is written for is no circumstance of the one who asks.
        ("Can my manager refuse parental leave?", "No, it cannot be refused.", "manager"),
    ],
)  # fmt: skip
def test_what_is_all_that_was_asked_about_stays(talk: Any, asked: str, answer: str, kept: str) -> None:
    talk.say(asked, answer)
    assert holds(talk.hear("and does it cost extra on holidays?").query, kept)


def test_a_trade_account_comes_before_its_discount(talk: Any) -> None:
    talk.say("We run a small hotel. What discount would we get on a trade account?", "Twelve percent.")
    query = key_of(talk.hear("and does it cost extra on holidays?").query)
    assert query.index("trade account") < query.index("discount")


@pytest.mark.parametrize(
    ("asked", "answer", "message", "thing", "place"),
    [
        (
            "My father is in intensive care at Ashcombe. When are the visiting hours?",
            "Visiting hours are from 14:00 to 20:00.",
            "Are flowers allowed in visiting hours?",
            "intensive care",
            "Ashcombe",
        ),
        (
            "We keep a forklift at Larkfield. When are inspections due?",
            "Inspections are due every year.",
            "Are inspections paid by the company?",
            "forklift",
            "Larkfield",
        ),
    ],
)
def test_a_place_that_was_only_told_brings_what_is_there(
    talk: Any, asked: str, answer: str, message: str, thing: str, place: str
) -> None:
    talk.say(asked, answer)
    query = talk.hear(message).query
    assert holds(query, place)
    assert holds(query, thing)


def test_a_place_that_the_question_is_asked_of_comes_alone(talk: Any) -> None:
    talk.say("Can I get a coffee at Platform Hall?", "Yes, a coffee is served at Platform Hall.")
    query = talk.hear("Are dogs welcome at a coffee?").query
    assert not holds(query.removeprefix("Are dogs welcome at a coffee?"), "coffee")


@pytest.mark.parametrize(
    ("asked", "message", "somebody"),
    [
        ("My father is on Rowan ward. When can I visit?", "If we ring up in the evening, will they tell us how he is?", "he"),
        ("My aunt flies to Oslo on Monday. What may she carry?", "During the night, can she sleep in the lounge?", "she"),
        ("Who services the boilers?", "Could I call in the morning and ask whether they have time?", "they"),
    ],
)  # fmt: skip
def test_no_time_of_day_is_anybody(talk: Any, asked: str, message: str, somebody: str) -> None:
    talk.say(asked, "Ask at the desk.")
    heard = talk.hear(message)
    assert somebody in {word.lower() for _, word in heard.reading.marks}
    assert heard.classification.dependent


def test_a_company_may_be_they(talk: Any) -> None:
    talk.say("Who services the boilers?", "A contractor.")
    assert "they" not in {
        w for _, w in talk.hear("If I call the company, will they repair a tap?").reading.marks
    }
