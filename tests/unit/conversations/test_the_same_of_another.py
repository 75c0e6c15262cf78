"""What "same price", "too" and "as well" ask the same of: the new thing comes, and the old one of its kind does not."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.words import contains_key, key_of


def holds(query: str, words: str) -> bool:
    return contains_key(key_of(query), key_of(words))


@pytest.mark.parametrize(
    ("asked", "message", "query"),
    [
        ("Check-in time for cars to Inchmore?", "What about Sula, with a car too", "Check-in time for cars to Sula?"),
        ("How many days of leave do nurses in Leeds get?", "and York, for nurses too?", "How many days of leave do nurses in York get?"),
        ("What is the RPO for Frankfurt on the Business tier?", "and Dublin, on the Business tier as well?", "What is the RPO for Dublin on the Business tier?"),
        ("How long is the warranty on the fridge?", "same terms for the oven?", "How long is the warranty on the oven?"),
        ("Can I rent a cottage in May?", "and a caravan, same conditions?", "Can I rent a caravan in May?"),
        ("How do I claim the cost of a taxi?", "and a ferry, same rules?", "How do I claim the cost of a ferry?"),
        # What is said of it besides, and was not asked before, is searched as well.
        ("Can I rent a cottage in May?", "what about a caravan, with an awning too?", "Can I rent a caravan in May? awning"),
    ],
)  # fmt: skip
def test_the_last_question_is_asked_of_the_new_thing(talk: Any, asked: str, message: str, query: str) -> None:
    talk.say(asked, "Ask at the desk.")
    assert talk.hear(message).query == query


@pytest.mark.parametrize(
    ("asked", "message", "kept", "given_way"),
    [
        ("Can you resole my boots and what does it cost?", "same conditions for re-gluing a chair?", "cost", "boots|resole"),
        ("Can you resole my boots and what does it cost?", "same for hemming trousers?", "cost", "boots|resole"),
        ("Can I store my bike at the station?", "same rules for charging a scooter?", "station", "bike|store"),
        ("How long does it take to renew my passport and what is the fee?", "renting a locker, same price?", "fee", "passport|renew"),
    ],
)  # fmt: skip
def test_what_is_done_to_something_gives_way_to_what_is_done_to_another(
    talk: Any, asked: str, message: str, kept: str, given_way: str
) -> None:
    talk.say(asked, "Yes, ask at the desk.")
    query = talk.hear(message).query
    assert holds(query, kept)
    assert not [words for words in given_way.split("|") if holds(query, words)]


@pytest.mark.parametrize(
    ("asked", "message", "kept"),
    [
        # What is brought along or done beside it is no other thing of its kind.
        ("Can I rent a cottage in May?", "what about bringing a dog?", "cottage"),
        ("Can I rent a cottage in May?", "same conditions for cleaning it?", "cottage"),
        ("Do you hem trousers?", "and paying by card?", "trousers"),
    ],
)
def test_what_is_done_with_the_same_thing_keeps_it(talk: Any, asked: str, message: str, kept: str) -> None:
    talk.say(asked, "Yes, gladly.")
    heard = talk.hear(message)
    assert not heard.classification.dependent or holds(heard.query, kept)


def test_a_clause_that_ends_in_the_same_is_no_ellipsis(read: Any) -> None:
    assert "ellipsis" not in {mark.value for mark, _ in read("Kittiwake is the ship, same failure").marks}
    assert "ellipsis" in {mark.value for mark, _ in read("a chair, same price?").marks}
