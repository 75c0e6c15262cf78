"""Who asks where and is told goes on about the place that was told; a noun in a turn of phrase is no thing at all."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("asked", "answer", "then", "told", "from_where"),
    [
        (
            "We are a bank in Geneva and our data must stay under Swiss law. Where should we go?",
            "To Zurich, which is run from Switzerland.",
            "Can your engineers abroad see our metadata there?",
            "Zurich",
            "Geneva",
        ),
        (
            "I live in Galway. Which city has your nearest store?",
            "Our nearest store is in Dublin.",
            "Is the store open on Sundays?",
            "Dublin",
            "Galway",
        ),
        (
            "We are moving from Lyon. Where is the visa office?",
            "The visa office is in Paris.",
            "and when does the office open?",
            "Paris",
            "Lyon",
        ),
    ],
)
def test_the_place_that_was_told_is_meant(
    talk: Any, asked: str, answer: str, then: str, told: str, from_where: str
) -> None:
    talk.say(asked, answer)
    heard = talk.hear(then)
    assert told in heard.query
    assert from_where not in heard.query


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("How much is delivery to Galway?", "Delivery costs six euros and leaves from Naas."),
        ("Where do I park in Leeds?", "Behind the building."),
    ],
)
def test_who_asks_something_else_goes_on_about_the_place_it_was_asked_of(
    talk: Any, asked: str, answer: str
) -> None:
    talk.say(asked, answer)
    place = "Galway" if "Galway" in asked else "Leeds"
    assert place in talk.hear("and how long does it take on a Saturday?").query


@pytest.mark.parametrize(
    ("message", "nothing"),
    [
        ("Where do the courses take place?", "place"),
        ("Can a colleague go in my place?", "place"),
        ("May anyone take part in the trial?", "part"),
        ("Does the rule take effect in May?", "effect"),
        ("Does it make sense to insure a phone?", "sense"),
        ("Can I have a look at the contract?", "look"),
        ("Can somebody take my brother's place?", ""),
    ],
)
def test_a_noun_of_a_turn_of_phrase_is_no_thing(talk: Any, message: str, nothing: str) -> None:
    assert nothing not in {term.key for term in talk.read(message).terms}


@pytest.mark.parametrize(
    ("message", "thing"),
    [
        ("Is there a place to sit?", "place"),
        ("Does the spare part fit?", "part"),
        ("How do I look after the sofa?", "sofa"),
    ],
)
def test_elsewhere_it_is_one(talk: Any, message: str, thing: str) -> None:
    assert any(thing in term.key.split() for term in talk.read(message).terms)


def test_what_was_asked_with_a_turn_of_phrase_is_still_what_is_meant(talk: Any) -> None:
    talk.say("Do you run training courses?", "Yes, three of them.")
    talk.say("where do they take place?", "In Stockholm in the first week of a month.")
    assert "training courses" in talk.hear("and can somebody else go in my place?").query
