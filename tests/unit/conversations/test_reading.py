"""The marks in a message's wording that lean on something outside it."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.marks import MIDDLE, Mark


@pytest.mark.parametrize(
    ("message", "mark"),
    [
        ("Is it safe?", Mark.PRONOUN),
        ("Was he a communist?", Mark.PRONOUN),
        ("What about their prices?", Mark.PRONOUN),
        ("How long does that take?", Mark.DEMONSTRATIVE),
        ("Are these clinics open at night?", Mark.DEMONSTRATIVE),
        ("Which one is cheaper?", Mark.ONES),
        ("Can I bring one of them?", Mark.ONES),
        ("And how soon is it over after one of the worst kind?", Mark.ONES),
        ("Is the bright one there?", Mark.PLACE),
        ("Do you deliver, and can I return it?", Mark.PRONOUN),
        ("What's the highest price one can pay?", Mark.DEFINITE),
        ("Tell me more about the second one", Mark.ORDINAL),
        ("and option 3?", Mark.ORDINAL),
        ("and for Dublin?", Mark.ELLIPSIS),
        ("What else?", Mark.OTHER),
        ("You mentioned high peaks. Where are they?", Mark.RECALLS),
        ("Tell me more", Mark.COMMENT),
        ("What do people do there?", Mark.PLACE),
        ("Which is faster, both included?", Mark.CHOICE),
        ("no, I meant Sweden", Mark.CORRECTION),
    ],
)
def test_it_marks_what_leans(read: Any, message: str, mark: Mark) -> None:
    assert read(message).has(mark)


@pytest.mark.parametrize(
    "message",
    [
        "How do I deal with customs?",
        "Is it possible to pay in instalments?",
        "How long does it take to ship a sofa?",
        "I like frogs. What do they eat?",
        "My laptop is broken. Can you repair it?",
        "What happened this week?",
        "Customers who buy a lamp: do they get a discount?",
        "Those who pay early get a discount, is that right for companies?",
        "Is there a limit for uploads?",
        "The dog broke its leg, what should we do?",
        "I would like to join one of your evening classes.",
        "Is one of the museum's halls closed?",
        "How much luggage may one take?",
        "I confuse your ferry tickets. Which ones are there?",
        "I read about a tunnel being closed, which one is that?",
        "Can you sharpen my scissors and what does it cost?",
        "Where can people report a fire that they saw?",
    ],
)
def test_it_sees_no_reference_where_the_message_explains_itself(read: Any, message: str) -> None:
    marks = {mark for mark, _ in read(message).marks}
    assert not marks & {Mark.PRONOUN, Mark.ONES, Mark.PLACE}


def test_a_measure_is_told_apart_by_a_thing_only(read: Any) -> None:
    assert read("What is the longest period I can choose?").has(Mark.DEFINITE)
    assert not read("What is the longest period that a van can be rented?").has(Mark.DEFINITE)
    assert not read("Where is the ferry I booked?").has(Mark.DEFINITE)


def test_it_does_not_find_it_in_with(read: Any) -> None:
    assert not read("Deal with the unit limits").strong


def test_it_does_not_let_a_subject_explain_the_object_of_its_own_verb(read: Any) -> None:
    assert read("Can Kubernetes restart it?").has(Mark.PRONOUN)


def test_it_takes_a_definite_noun_without_introduction_for_a_hint(read: Any) -> None:
    assert read("How do I contact the lender?").has(Mark.DEFINITE)
    assert not read("How do I contact the lender of my mortgage?").has(Mark.DEFINITE)


@pytest.mark.parametrize(
    "message",
    [
        "the third floor", "a second opinion", "at first sight", "last week's invoice", "the middle of town",
        "the church, in the middle", "the first two bridges", "the last three stops",
    ],
)  # fmt: skip
def test_it_picks_nothing_with_an_ordinary_ordinal(read: Any, message: str) -> None:
    assert read(f"I live near {message}. How do I pay?").ordinals == ()


def test_it_reads_the_numbers_of_picked_items(read: Any) -> None:
    assert read("compare the first one and the last one").ordinals == (1, -1)
    assert read("what does step 4 mean?").ordinals == (4,)


@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("how big is the middle one?", (MIDDLE,)),
        ("and the one in the middle", (MIDDLE,)),
        ("is the middle option cheaper?", (MIDDLE,)),
        ("what about the second to last?", (-2,)),
        ("does the last but one have a lift", (-2,)),
        ("the second from the bottom please", (-2,)),
        ("how long is the third from the end?", (-3,)),
        ("tell me about number nine", (9,)),
        ("number four, how much is it?", (4,)),
        ("what do the first two cost?", (1, 2)),
        ("are the last three free", (-3, -2, -1)),
    ],
)
def test_it_reads_a_place_in_a_list_in_other_words_than_its_number(
    read: Any, message: str, numbers: tuple[int, ...]
) -> None:
    heard = read(message)
    assert heard.ordinals == numbers
    assert heard.strong
