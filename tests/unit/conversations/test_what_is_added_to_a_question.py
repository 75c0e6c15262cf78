"""A few words more of the last question: what is like a thing in it takes its place, and anything else is added."""

from __future__ import annotations

from typing import Any

import pytest

# The last question, the message, and the question that is searched.
ADDED = {
    "the weekend": ("when does the night desk answer on the Gold plan", "and at weekends?", "when does the night desk answer on the Gold plan at weekends"),
    "a season": ("What are the opening hours in Norwich?", "and in winter", "What are the opening hours in Norwich in winter?"),
    "a part of the day": ("what does the doctor charge", "and at night?", "what does the doctor charge at night"),
    "public holidays": ("how much is overtime paid", "and on public holidays?", "how much is overtime paid on public holidays"),
    "so many people": ("how much is afternoon tea", "and for two people?", "how much is afternoon tea for two people"),
    "so many nights": ("how much is a double room", "and for 3 nights?", "how much is a double room for 3 nights"),
    "a role": ("Who can destroy keys?", "and Operator", "Who can destroy keys? Operator"),
    "a role in words": ("Who may approve travel?", "and Finance Lead?", "Who may approve travel? Finance Lead"),
}  # fmt: skip
SWAPPED = {
    "a season for a day": ("is breakfast served in the lounge on sundays", "and in winter?", "is breakfast served in the lounge in winter"),
    "a day for a day": ("is the museum open on monday", "tuesday", "is the museum open on tuesday"),
    "a coat is no season": ("how long can I return summer dresses", "and winter coats?", "how long can I return winter coats"),
    "a place where who is asked": ("Who approves trips to Paris?", "and Rome?", "Who approves trips to Rome?"),
    "things that are done to": ("Who can approve invoices?", "and refunds?", "Who can approve refunds?"),
    "a thing before its verb": ("What does a resole cost at the Cobbler Bench?", "and a new heel", "What does a new heel cost at the Cobbler Bench?"),
    "the verb taken for its noun": ("how long does a visa take", "and a passport?", "how long does a passport take"),
    "what is done": ("what does framing cost", "and a mount?", "what does mount cost"),
    "a code alone": ("what does AGENT_DENIED mean", "RANGE_TOO_LONG", "what does RANGE_TOO_LONG mean"),
    "a place alone": ("What is the room quota in Frankfurt?", "Dublin", "What is the room quota in Dublin?"),
    "a place in a list of words": ("room quota frankfurt", "dublin", "room quota dublin"),
}  # fmt: skip
ALL = ADDED | SWAPPED


@pytest.mark.parametrize("name", ALL)
def test_it_is_asked_of_what_is_like_it_and_else_added(talk: Any, name: str) -> None:
    question, message, searched = ALL[name]
    talk.say(question, "That depends.")
    heard = talk.hear(message)
    assert (heard.query, heard.ruling.display.replace(" (", " ").replace(")", "")) == (searched, searched)


def test_whom_a_thing_is_for_does_not_take_its_place(talk: Any) -> None:
    talk.say("What does a season ticket cost?", "40 euros.")
    assert "season ticket" in talk.hear("and for a nursery?").query


@pytest.mark.parametrize("message", ["Dublin", "same for Dublin"])
def test_a_place_alone_asks_the_last_question_that_was_asked_of_a_place(talk: Any, message: str) -> None:
    talk.say("What is the room quota in Frankfurt?", "Twenty.")
    talk.say("How much is an SMS?", "Eight cents.")
    talk.say("who sends them", "A provider.")
    assert talk.hear(message).query == "What is the room quota in Dublin?"


@pytest.mark.parametrize("question", ["what is your refund policy", "how is the weather"])
def test_a_place_alone_is_asked_of_nothing_that_has_no_place(talk: Any, question: str) -> None:
    talk.say(question, "That depends.")
    assert talk.hear("Dublin").query == "Dublin"


def test_a_place_gone_back_to_asks_nothing_again(talk: Any) -> None:
    talk.say("What is the room quota in Frankfurt?", "Twenty.")
    talk.say("and in Dublin?", "Thirty.")
    talk.say("how much is parking in Dublin", "Nothing.")
    assert "parking" not in talk.hear("back to Frankfurt").query
