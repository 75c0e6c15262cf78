""" "The cheaper one" of the things whose prices an answer told."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.words import contains_key, key_of

PLANS = (
    "1. Basic, free\n2. Developer, €49 a month\n3. Business, €390 a month\n4. Enterprise, from €4,500 a month"
)
TARIFFS = "Gold costs 40 euros a year, Silver 25 euros."


@pytest.mark.parametrize(
    ("question", "answer", "message", "meant", "others"),
    [
        ("what support plans are there?", PLANS, "how fast is the cheapest one?", "Basic", "Enterprise"),
        ("what support plans are there?", PLANS, "and the most expensive?", "Enterprise", "Basic"),
        (
            "what do berths cost?",
            "Price per night: Deck free; Inside €49; Balcony from €390.",
            "The cheaper one",
            "Deck",
            "Inside",
        ),
        (
            "what do berths cost?",
            "Price: Deck £9; Inside £49; Balcony from £1,390.",
            "and the dearest?",
            "Balcony",
            "Deck",
        ),
        (
            "How much are the Gold and the Silver tariff?",
            TARIFFS,
            "does the cheaper one include films?",
            "Silver",
            "Gold",
        ),
        ("How much are the Gold and the Silver tariff?", TARIFFS, "and the dearer one?", "Gold", "Silver"),
    ],
)
def test_it_means_the_thing_with_that_price(
    talk: Any, question: str, answer: str, message: str, meant: str, others: str
) -> None:
    talk.say(question, answer)
    query = key_of(talk.hear(message).query)
    assert contains_key(query, key_of(meant)) and not contains_key(query, key_of(others)), query


@pytest.mark.parametrize(
    "answer",
    [
        "Gold costs 40 euros, Silver costs 40 euros.",
        "Gold costs 40 euros a year.",
        "Both have films and music.",
    ],
)
def test_nothing_is_meant_where_the_prices_do_not_tell(talk: Any, answer: str) -> None:
    talk.say("How much are the Gold and the Silver tariff?", answer)
    assert talk.hear("does the cheaper one include films?").contextualized.picked == ()


def test_something_cheaper_is_no_thing_of_the_answer(talk: Any) -> None:
    talk.say("How much are the Gold and the Silver tariff?", TARIFFS)
    assert talk.hear("is there a cheaper one?").contextualized.picked == ()
