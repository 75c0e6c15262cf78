"""Models that write something else than what they were asked for do not poison the search."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from conversations.domain.contextualize import contextualize_offline
from conversations.domain.guard import guard
from conversations.domain.prompt import parse_reply
from conversations.domain.verdicts import Ruling
from conversations.domain.words import contains_key, key_of
from tests.unit.conversations.conftest import words_vector

HOSPITAL = (
    ("Who runs the cardiology ward in Buenos Aires?", "Dr. Okafor runs it with Nurse Bellweather."),
    ("When can I visit a patient there?", "Visits are allowed from 14:00 to 18:00. The Larkspur wing opens at 15:00."),
    ("Different topic: how do I park my car?", "The car park has three levels. A day ticket costs 9 euros."),
)  # fmt: skip
MESSAGE = "how long is it valid?"


def says(query: str) -> Callable[[Any], str]:
    return lambda reading: json.dumps({"query": query, "kind": "follow_up", "topic_shift": False})


@pytest.fixture
def hospital(talk: Any) -> Any:
    for message, answer in HOSPITAL:
        talk.say(message, answer)
    return talk


@pytest.mark.parametrize(
    ("welded", "foreign"),
    [
        ("how long is the day ticket valid for Buenos?", "buenos"),
        ("how long is the day ticket valid for buenos aires?", "aires"),
        ("how long is the day ticket valid for Okafor and Bellweather?", "bellweather"),
        ("Regarding Okafor, how long is the day ticket valid?", "okafor"),
        ("Cardiology: how long is the day ticket valid?", "cardiology"),
        ("I want to know about cardiology and how long the day ticket is valid", "cardiology"),
        ("how long is the day ticket valid in the larkspur wing?", "larkspur"),
        ("Bellweather's day ticket: how long is it valid?", "bellweather"),
        ("how long is the day ticket valid when I visit a patient?", "patient"),
        ("how long is the DAY TICKET valid at the WARD?", "ward"),
    ],
)
def test_it_keeps_every_word_of_another_thread_out(hospital: Any, welded: str, foreign: str) -> None:
    heard = hospital.hear(MESSAGE, says(welded))
    assert heard.ruling.verdict == "contaminated"
    assert not contains_key(key_of(heard.query), foreign)
    assert contains_key(key_of(heard.query), "ticket")


@pytest.mark.parametrize(
    "good",
    [
        "How long is a day ticket of the car park valid?",
        "For how many hours does the day ticket for 9 euros remain valid?",
        "What is the validity period of a car park day ticket?",
    ],
)
def test_it_accepts_a_rewrite_in_other_words(hospital: Any, good: str) -> None:
    heard = hospital.hear(MESSAGE, says(good))
    assert (heard.query, heard.ruling.verdict) == (good, "clean")


@pytest.mark.parametrize(
    "torn",
    [
        "Does Okafor say how long the day ticket is valid?",
        "Cardiology asks how long the day ticket is valid",
    ],
)
def test_it_takes_the_rules_rather_than_a_torn_sentence(hospital: Any, torn: str) -> None:
    heard = hospital.hear(MESSAGE, says(torn))
    assert (heard.ruling.action, heard.ruling.origin) == ("fell_back", "offline")
    assert heard.query.startswith(MESSAGE)


def test_it_resolves_what_a_model_passes_on_unresolved(hospital: Any) -> None:
    heard = hospital.hear(MESSAGE, says("How long is it valid?"))
    assert (heard.ruling.action, heard.ruling.origin) == ("fell_back", "offline")
    assert contains_key(key_of(heard.query), "ticket")


def test_it_believes_a_model_that_says_the_subject_changed(hospital: Any) -> None:
    reply = json.dumps({"query": MESSAGE, "kind": "topic_shift", "topic_shift": True})
    assert hospital.hear(MESSAGE, lambda reading: reply).query == MESSAGE


def test_it_refuses_another_language(hospital: Any) -> None:
    heard = hospital.hear(MESSAGE, says("Wie lange ist die Karte für mich gültig und was kostet sie?"))
    assert (heard.ruling.verdict, heard.ruling.origin) == ("diverged", "offline")


def test_it_keeps_foreign_words_that_the_conversation_has(talk: Any) -> None:
    talk.say("When does La Casa de las Flores open?", "La Casa de las Flores opens at 9:00.")
    heard = talk.hear("and what does it cost?", says("La Casa de las Flores cost"))
    assert heard.query == "La Casa de las Flores cost"


@pytest.mark.parametrize(
    "reply",
    [
        "\n".join(f"{number}. how long is the ticket valid {number}" for number in range(10)),
        "The day ticket is valid for 24 hours.\nIt can be extended at the desk.",
    ],
)
def test_it_takes_no_list_and_no_answer_for_a_query(hospital: Any, reply: str) -> None:
    heard = hospital.hear(MESSAGE, lambda reading: reply)
    assert heard.ruling.origin == "offline"
    assert "\n" not in heard.query


QUESTION = "how long does it stay blocked after it is lost?"


def judged(talk: Any, written: str, message: str = QUESTION) -> Ruling:
    """The ruling where the vector of the rewrite is known."""
    heard = talk.hear(message)
    parsed: Any = parse_reply(
        json.dumps({"query": written}), heard.reading, heard.classification, heard.scope
    )
    offline = contextualize_offline(heard.reading, heard.classification, heard.scope, talk.state)
    return guard(
        parsed, heard.reading, heard.scope, talk.state, talk.policy, talk.language.analyse, offline,
        words_vector(written),
    )  # fmt: skip


def test_it_refuses_another_question_when_it_knows_the_vectors(hospital: Any) -> None:
    assert judged(hospital, "Which levels does the car park have?").verdict == "diverged"


def test_it_lets_a_near_rewrite_pass_when_it_knows_the_vectors(hospital: Any) -> None:
    assert judged(hospital, "How long does a lost day ticket stay blocked?").verdict == "clean"


def test_it_measures_no_distance_from_a_message_that_says_nothing(hospital: Any) -> None:
    hospital.say("Can I extend it?", "Yes. Would you like to know what a second day costs?")
    assert judged(hospital, "What does a second day cost?", "yes please").verdict == "clean"
