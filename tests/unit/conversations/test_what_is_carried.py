"""A rewrite takes the antecedent along and what the reference needs, and nothing else of an earlier turn."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.words import contains_key, key_of


def holds(query: str, words: str) -> bool:
    return contains_key(key_of(query), key_of(words))


@pytest.mark.parametrize(
    ("opened", "answer", "elsewhere", "back", "left_out"),
    [
        (
            "What are the RPO and RTO in Dublin?",
            "In Dublin the RPO is 2 hours and the RTO is 6 hours.",
            "How do I return shoes?",
            "Back to Dublin: when is failover rehearsed?",
            ("RPO", "RTO"),
        ),
        (
            "Which tiers and discounts does the Maple card have?",
            "The Maple card has a silver and a gold tier.",
            "How do I park my car?",
            "Let's go back to the Maple card. Who may sign the application?",
            ("tiers", "discounts", "silver"),
        ),
        (
            "How heavy is the Harlow crib and what colours are there?",
            "It weighs 31 kg and comes in white.",
            "Do you ship lamps to Norway?",
            "Returning to the Harlow crib - does a mattress come with the order?",
            ("colours", "white", "Norway"),
        ),
    ],
)
def test_a_return_that_names_its_subject_and_asks_a_whole_question_takes_nothing_else(
    talk: Any, opened: str, answer: str, elsewhere: str, back: str, left_out: tuple[str, ...]
) -> None:
    talk.say(opened, answer)
    talk.say(elsewhere, "Within 30 days.")
    heard = talk.hear(back)
    assert heard.kind == "topic_return"
    assert not [words for words in left_out if holds(heard.query, words)]


@pytest.mark.parametrize(
    ("asked", "answer", "message", "owner", "left_out"),
    [
        (
            "What is the request limit of the Billing export API?",
            "The Billing export API allows 20 requests per minute and project.",
            "How long are its finished exports kept?",
            "Billing export API",
            ("request limit", "minute", "project", "requests"),
        ),
        (
            "What does the Larkspur Museum charge for a school class?",
            "The Larkspur Museum charges 40 euros, guides and cloakroom included.",
            "Where are its oldest paintings?",
            "Larkspur Museum",
            ("school class", "guides", "cloakroom"),
        ),
        (
            "Which rooms does the Aldgate hostel have?",
            "The Aldgate hostel has dormitories and twin rooms with lockers.",
            "When do their kitchens close?",
            "Aldgate hostel",
            ("dormitories", "lockers"),
        ),
    ],
)
def test_what_belongs_to_something_takes_that_along_and_no_words_of_its_answer(
    talk: Any, asked: str, answer: str, message: str, owner: str, left_out: tuple[str, ...]
) -> None:
    talk.say(asked, answer)
    heard = talk.hear(message)
    assert holds(heard.query, owner)
    assert not [words for words in left_out if holds(heard.query, words)]


def test_a_whole_question_takes_the_names_it_is_asked_of_and_not_what_was_asked_of_them(talk: Any) -> None:
    talk.say("What are the opening hours of the Castle branch?", "The Castle branch is open until 18:00.")
    heard = talk.hear("Which opening hours apply on holidays?")
    assert not holds(heard.query, "18:00")
    assert heard.query in {
        "Which opening hours apply on holidays?",
        "Which opening hours apply on holidays? Castle branch",
    }


def test_at_most_two_things_that_only_the_answer_named_are_carried(talk: Any) -> None:
    said = "The car park has three levels, a bicycle cellar, a charging point and a day ticket."
    talk.say("How do I park my car?", said)
    query = talk.hear("how long is it valid?").query
    only_said = ("levels", "bicycle cellar", "charging point", "day ticket")
    assert sum(holds(query, words) for words in only_said) <= 2
