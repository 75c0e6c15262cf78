"""A condition without its consequence, a bare circumstance, a price for somebody: no question of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conversations.domain.completeness import is_complete, is_for_a_search_box
from conversations.domain.marks import Mark
from conversations.domain.reading import Reading


@pytest.mark.parametrize(
    "message",
    [
        "and if I use my own car?", "and if it rains", "unless I cancel?", "if I use my own car", "and if the backup fails",
        "even if I am ill?", "ok, and if my passport expires in March?", "in case of rain?", "Ok. In Stockholm?", "with a dog?", "on a Sunday", "and to zurich",
        "without a prescription?", "how much for kids", "how much for two adults?", "fee for students", "price for a family pls", "how many for a couple",
    ],
)  # fmt: skip
def test_it_is_no_whole_question(read: Callable[[str], Reading], message: str) -> None:
    reading = read(message)
    assert reading.has(Mark.UNFINISHED)
    assert not is_complete(reading)
    assert not is_for_a_search_box(reading)


@pytest.mark.parametrize(
    "message",
    [
        "If I use my own car, what do I get?", "if i return shoes do i get my money back", "If it rains, is the tour called off?", "what happens if the backup fails",
        "let me know if the pool is open", "Do you deliver if it snows?", "if the flight is late then who pays", "ifs and buts", "about delivery", "regarding my order",
        "station toilets dunmarrow", "delivery to Ireland", "opening hours christmas", "how much for a chair leg?", "price of gift cards", "enterprise plan price",
        "How much is a ticket for kids?", "kids menu", "student discount", "Is there a fee for students?", "how long for a support ticket reply?",
        "In Stockholm, what is the PUE?", "staff canteen", "with which card can I pay?",
    ],
)  # fmt: skip
def test_its_neighbours_are_whole(read: Callable[[str], Reading], message: str) -> None:
    assert not read(message).has(Mark.UNFINISHED)


TALKS = [
    ("What is the staff allowance for a night away from base?", "It is 42.00 a day for meals.", "and if I use my own car?", "allowance"),
    ("Can I book the walled garden for a wedding?", "Yes, from May to September.", "and if it rains", "garden"),
    ("When does the seal cruise go?", "On Thursdays at 17:30.", "how much for kids", "cruise"),
    ("Is there a gym at the Harbour hotel?", "Yes, on the ground floor.", "fee for students", "gym"),
    ("How long is parental leave?", "It is 90 days.", "unless I work part time?", "leave"),
    ("What does the Orion backup cost?", "It costs 5 euros.", "and if the backup fails", "Orion"),
    ("How soon can I drive after a gastroscopy?", "After 24 hours.", "without a sedative?", "gastroscopy"),
]  # fmt: skip


@pytest.mark.parametrize("question, answer, message, meant", TALKS)
def test_it_leans_on_what_was_asked(talk: Any, question: str, answer: str, message: str, meant: str) -> None:
    talk.say(question, answer)
    heard = talk.hear(message)
    assert heard.classification.dependent
    assert meant.lower() in heard.query.lower()


@pytest.mark.parametrize(
    "message, whole",
    [
        ("price for a seat pls", False),
        ("cost of a ticket", False),
        ("how long to wait before opening after isolating", False),
        ("where to go after training", False),
        ("price for a wedding cake", True),
        ("price of gift cards", True),
        ("Is parking free?", True),
        ("how long does training take", True),
    ],
)
def test_the_price_of_any_one_and_doing_nothing_to_nothing_wait_for_the_documents(
    read: Callable[[str], Reading], message: str, whole: bool
) -> None:
    reading = read(message)
    assert (is_complete(reading) or is_for_a_search_box(reading)) is whole


@pytest.mark.parametrize("message", sorted({message for _, _, message, _ in TALKS}))
def test_nothing_is_leant_on_where_nothing_was_said(talk: Any, message: str) -> None:
    heard = talk.hear(message)
    assert (heard.kind, heard.query) == ("opening", message)


@pytest.mark.parametrize(
    "message",
    ["station toilets dunmarrow", "gift card expiry", "enterprise plan price", "how much for a chair leg?"],
)
def test_a_search_box_wording_takes_nothing_along(talk: Any, message: str) -> None:
    talk.say("How long is parental leave?", "It is 90 days.")
    assert talk.hear(message).query == message


def test_people_take_the_place_of_people_only(talk: Any) -> None:
    talk.say("How much is the seal cruise for adults?", "It is 30.00.")
    heard = talk.hear("how much for kids")
    assert "cruise" in heard.query
    assert "adults" not in heard.query


@pytest.mark.parametrize(
    "message, core",
    [
        ("moving on to parking. how much is it?", "parking. how much is it?"),
        ("now for leave: how many days do I get?", "leave: how many days do I get?"),
        ("leaving that aside, how much is it?", "how much is it?"),
        ("moving on, how much is a bed?", "how much is a bed?"),
    ],
)
def test_a_subject_that_is_also_a_word_of_leaving_is_heard(
    read: Callable[[str], Reading], message: str, core: str
) -> None:
    assert read(message).core == core


@pytest.mark.parametrize(
    "message, refers",
    [
        ("What is the longest contract term he may agree to?", True),
        ("What is the discount she can sign off?", True),
        ("Who is the manager and when does she work?", False),
        ("When can my sister come and what may she bring?", False),
    ],
)
def test_nobody_is_an_attribute(read: Callable[[str], Reading], message: str, refers: bool) -> None:
    assert read(message).has(Mark.PRONOUN) is refers
