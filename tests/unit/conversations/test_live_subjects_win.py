"""What is live wins over what was spoken of longer ago, and a whole question takes nothing of either along."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.completeness import is_complete
from conversations.domain.words import contains_key, key_of


def holds(query: str, words: str) -> bool:
    return contains_key(key_of(query), key_of(words))


@pytest.mark.parametrize(
    ("oldest", "older", "live", "message", "wanted", "gone"),
    [
        (
            "How much does fitting a boiler cost?",
            "When is the Arden depot open?",
            "do you run pottery courses?",
            "what does it cost to join one?",
            "pottery courses",
            "boiler",
        ),
        (
            "What does it cost to frame a poster?",
            "Who sweeps the chimneys?",
            "are there guided walks?",
            "how much does one cost?",
            "guided walks",
            "poster",
        ),
        (
            "How long does it take to dye a coat?",
            "Which trams run at night?",
            "can I get a library card?",
            "how long does it take?",
            "library card",
            "coat",
        ),
    ],
)
def test_a_bare_reference_never_means_what_two_other_subjects_have_followed(
    talk: Any, oldest: str, older: str, live: str, message: str, wanted: str, gone: str
) -> None:
    for said in (oldest, older, live):
        talk.say(said, "That is known.")
    query = talk.hear(message).query
    assert holds(query, wanted)
    assert not holds(query, gone)


def test_a_word_that_describes_reaches_further_back_than_a_bare_reference(talk: Any) -> None:
    talk.say("Which boilers do you fit?", "The Marlow boiler and the Tamar boiler.")
    talk.say("Who sweeps the chimneys?", "A sweep from Arden.")
    talk.say("When does the café open?", "At nine.")
    assert holds(talk.hear("is that boiler loud?").query, "boilers")


@pytest.mark.parametrize(
    ("opened", "answer", "message"),
    [
        (
            "Which keys can I bring along?",
            "Your own keys, rotated yearly.",
            "What about rebates if we order forty tables?",
        ),
        (
            "When does the ferry leave?",
            "At seven from the old pier.",
            "what about a visa when I stay for two months?",
        ),
        ("Who mends lamps?", "The bench in Leeds.", "How about parking if the concert ends late?"),
    ],
)
def test_an_ellipsis_with_a_clause_of_its_own_takes_nothing_from_another_subject(
    talk: Any, opened: str, answer: str, message: str
) -> None:
    talk.say(opened, answer)
    assert talk.hear(message).query == message


def test_a_bare_ellipsis_still_leans_on_the_last_question(talk: Any) -> None:
    talk.say("When does the ferry to Brodick leave?", "At seven.")
    assert holds(talk.hear("What about Lochranza?").query, "ferry")


@pytest.mark.parametrize(
    ("message", "whole"),
    [
        ("who can grant roles?", True),
        ("Who may list options?", True),
        ("what are the options?", False),
        ("how does it change roles?", False),
    ],
)
def test_what_is_done_to_things_of_a_general_kind_is_a_subject(talk: Any, message: str, whole: bool) -> None:
    assert is_complete(talk.read(message)) is whole


@pytest.mark.parametrize(
    ("opened", "answer", "leaned", "elsewhere", "back", "left_out"),
    [
        (
            "Which kettle was recalled?",
            "The Kestrel kettle.",
            "where is its batch printed?",
            "When does the Leeds store open?",
            "Back to the recall. Where can the power bank be handed in?",
            ("kettle", "batch"),
        ),
        (
            "How many seats has the Larch ferry?",
            "It has ninety seats.",
            "are its decks heated?",
            "What does printing cost?",
            "Back to the ferry: when is the spring timetable published?",
            ("seats", "decks"),
        ),
    ],
)
def test_a_return_by_name_with_a_whole_question_takes_nothing_though_it_says_the(
    talk: Any, opened: str, answer: str, leaned: str, elsewhere: str, back: str, left_out: tuple[str, ...]
) -> None:
    talk.say(opened, answer)
    talk.say(leaned, "Yes.")
    talk.say(elsewhere, "That is known.")
    query = talk.hear(back).query
    assert not [words for words in left_out if holds(query, words)]


def test_the_ones_of_a_subject_that_is_named_again_are_its_own(talk: Any) -> None:
    talk.say("Which kinds of key are there?", "There are platform keys and external keys.")
    talk.say("different question: what do external auditors see?", "A list of accesses.")
    query = talk.hear("Back to the keys: can I rotate the external ones?").query
    assert not holds(query, "auditors")


def test_of_several_the_one_that_is_meant_is_not_the_first_that_was_listed(talk: Any) -> None:
    talk.say("Which tariffs do you have?", "Three tariffs:\n1. Willow\n2. Maple\n3. Cedar")
    query = talk.hear("how long does the dearest of those run?").query
    assert not holds(query, "Willow")
    assert holds(query, "tariffs")


def test_in_that_one_after_a_change_of_subject_is_a_place(talk: Any) -> None:
    talk.say("Who runs the Edinburgh store?", "Callum Fraser.")
    assert holds(talk.hear("Something else: is there a cobbler in that one?").query, "Edinburgh")


def test_things_are_words_of_content_that_are_no_verbs(talk: Any) -> None:
    assert talk.read("what does it cost to join the guild?").things == {"guild"}
