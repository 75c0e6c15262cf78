"""What takes the place of what, and what is a question of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conversations.domain.completeness import asks_anew, is_complete, is_for_a_search_box
from conversations.domain.reading import Reading
from conversations.domain.wanted import wanted_type

Read = Callable[[str], Reading]


@pytest.mark.parametrize(
    "message",
    [
        "How many days of leave?",
        "Which wards have a chapel?",
        "Does York have an MRI scanner?",
        "What does the Gold tariff give?",
    ],
)
def test_it_knows_a_question_of_its_own(message: str, read: Read) -> None:
    assert is_complete(read(message))


@pytest.mark.parametrize(
    "message",
    [
        "In which languages?",
        "And for Leeds?",
        "What does it cost?",
        "Is the pool heated there?",
        "How many days?",
        "the price?",
    ],
)
def test_it_knows_what_leans_on_something(message: str, read: Read) -> None:
    assert not is_complete(read(message))


@pytest.mark.parametrize(
    ("message", "says_what_of_what"),
    [
        ("Gold tariff price", True),
        ("static IP price", True),
        ("parking permit fee", True),
        ("delivery to Norway", True),
        ("warranty on a kettle?", True),
        ("and delivery to Norway", False),
        ("in York on Sunday", False),
        ("the tariff", False),
        ("Gold tariff", False),
        ("Grand Harbour Hotel", False),
        ("price of that", False),
        ("does it open on Sunday", False),
    ],
)
def test_it_knows_what_people_type_into_a_search_box(
    message: str, says_what_of_what: bool, read: Read
) -> None:
    assert is_for_a_search_box(read(message)) is says_what_of_what


def test_it_tells_a_question_asked_anew_from_a_bare_correction(read: Read) -> None:
    assert asks_anew(read("you misunderstood, what does late checkout cost in the family suite"))
    assert not asks_anew(read("Sorry, I meant the Fines report."))


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("Can I return films there?", "place"),
        ("Can I return films at that branch?", "place"),
        ("When does she see patients?", "person"),
        ("What does it cost?", ""),
        ("How often is it there in the catalogue?", ""),
    ],
)
def test_it_knows_what_kind_of_thing_is_pointed_at(message: str, wanted: str, read: Read) -> None:
    assert wanted_type(read(message)) == wanted


def test_it_keeps_both_when_the_message_compares(talk: Any) -> None:
    talk.say("What does the Silver tariff include?", "The Silver tariff includes a second driver.")
    assert "Silver" in talk.hear("Is the Gold tariff better than it?").query


def test_it_carries_the_place_a_where_question_was_answered_with(talk: Any) -> None:
    talk.say("We come from Bath. Where can we have an MRI scan?", "In York. The scanner there is new.")
    heard = talk.hear("on another note, is there parking in it?")
    assert "York" in heard.query and "Bath" not in heard.query


def test_the_guard_refuses_the_place_that_the_message_replaces(talk: Any) -> None:
    talk.say("Is there a pharmacy in Leeds?", "Yes, the Leeds pharmacy opens at eight.")
    reply = '{"query": "and is there a pharmacy in York or Leeds?", "kind": "follow_up", "topic_shift": false, "entities": [], "refers_to": []}'
    heard = talk.hear("and in York?", model=lambda reading: reply)
    assert heard.ruling.verdict.value == "contaminated"
    assert "Leeds" not in heard.query and "York" in heard.query


def test_it_shows_a_replaced_pronoun_only_where_the_number_agrees(talk: Any) -> None:
    talk.say("How long are audit logs kept?", "Audit logs are kept for a year.")
    assert "the audit logs" not in talk.hear("how long is it kept?").contextualized.display


def test_a_clause_that_describes_a_noun_claims_nothing(talk: Any) -> None:
    talk.say("Do you run courses?", "Yes, a first aid course and a sailing course.")
    assert "members" in talk.hear("is a place in the evening course you listed free for members").query
