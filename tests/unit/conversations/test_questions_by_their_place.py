"""A message that points at one of the person's own questions by its number or order: "the second question again"."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conversations.domain.cues import CueKind, split_cue
from conversations.domain.words import contains_key, key_of

TALKS = {
    "shop": [
        ("How long can I return shoes?", "Within 60 days."),
        ("Do you deliver to Norway?", "Yes, for 14 euros."),
        ("Where is the Bristol store?", "At the harbour."),
    ],
    "human resources": [
        ("Who approves a sabbatical?", "The head of the department."),
        ("How many days of parental leave are there?", "Ten weeks."),
        ("Is the canteen open on Fridays?", "Until two."),
    ],
    "cloud": [
        ("What does a static address cost?", "Two euros a month."),
        ("How often are snapshots taken?", "Every night."),
        ("Which regions run on wind power?", "Stockholm does."),
    ],
    "clinic": [
        ("Is the flu vaccination painful?", "Hardly."),
        ("Which insurers do you bill?", "All public ones."),
        ("Where can visitors park?", "Behind the house."),
    ],
    "travel": [
        ("Does the night train carry bicycles?", "Six of them."),
        ("How early does boarding begin in Porto?", "An hour before."),
        ("What may hand luggage weigh?", "Eight kilos."),
    ],
}
BARE = [
    ("the second question", 2),
    ("2nd question again", 2),
    ("My first question?", 1),
    ("what about the thing I asked first?", 1),
    ("back to the first topic", 1),
    ("can you answer my first question again", 1),
    ("I still need an answer to the second question", 2),
    ("you didn't answer my second question", 2),
    ("go back to question 2", 2),
    ("question no. 3 please", 3),
    ("and my previous question?", 3),
    ("the question before last", 2),
    ("ok thanks. now the second question please", 2),
    ("please answer the first question once more", 1),
    ("what did you say to my second question?", 2),
    ("what was the answer to my first question?", 1),
    ("no, my first question", 1),
]


def told(talk: Any, subject: str) -> list[str]:
    for message, answer in TALKS[subject]:
        talk.say(message, answer)
    return [message for message, _ in TALKS[subject]]


@pytest.mark.parametrize("subject", TALKS)
@pytest.mark.parametrize(("message", "number"), BARE)
def test_a_question_that_is_pointed_at_is_asked_again(
    message: str, number: int, subject: str, talk: Any
) -> None:
    asked = told(talk, subject)
    heard = talk.hear(message)
    assert (heard.kind, heard.query) == ("topic_return", asked[number - 1])
    assert heard.ruling.display == asked[number - 1]


@pytest.mark.parametrize(
    ("subject", "message", "core", "kept", "left"),
    [
        ("shop", "first topic again: do I need the box?", "do I need the box?", "shoes", "Norway Bristol"),
        ("shop", "about my second question, is there a fee?", "is there a fee?", "Norway", "shoes Bristol"),
        ("human resources", "regarding my first question: is it paid?", "is it paid?", "sabbatical", "canteen"),
        ("cloud", "On question 2: who restores them?", "who restores them?", "snapshots", "regions address"),
        ("clinic", "the first thing I asked about, does it cost anything?", "does it cost", "vaccination", "park"),
        ("travel", "as for my second question - is it the same at night?", "same at night", "Porto", "luggage"),
        ("travel", "as I asked in the beginning, does it cost extra?", "does it cost extra?", "bicycles", "Porto luggage"),
        ("shop", "what we talked about first - is it free?", "is it free?", "shoes", "Norway Bristol"),
        ("travel", "the second question: is it punctual?", "is it punctual?", "boarding", "luggage bicycles"),
    ],
)  # fmt: skip
def test_what_is_asked_of_it_is_asked_of_that_turn_alone(
    subject: str, message: str, core: str, kept: str, left: str, talk: Any
) -> None:
    told(talk, subject)
    query = talk.hear(message).query
    assert core in query
    assert all(contains_key(key_of(query), key_of(word)) for word in kept.split())
    assert not any(contains_key(key_of(query), key_of(word)) for word in left.split())


@pytest.mark.parametrize(
    "message",
    [
        "What is the first question in the survey?",
        "the first question of the exam - how many points does it give?",
        "What happens if I fail the second question?",
        "My first question is how long shipping takes",
        "What was my first question?",
        "Can I ask a second question?",
        "One last question: do you sell lamps?",
        "How do I change the subject line of an invoice?",
        "the second option",
        "the second point you made",
        "the first request takes how long?",
        "my first order: where is it?",
        "my second child: is she covered?",
        "topic 5 in the handbook",
        "first subject teacher, how much salary?",
        "Which is the first floor?",
        "back to my earlier question - is it far?",
    ],
)
def test_not_everything_with_a_number_is_a_question_of_before(message: str) -> None:
    assert split_cue(message).place is None


@pytest.mark.parametrize("message", ["the second one", "and the third?", "the one before that"])
def test_the_second_one_is_no_return_by_itself(message: str) -> None:
    assert split_cue(message).kind is CueKind.NONE


def test_a_question_that_is_only_numbered_is_a_new_one(talk: Any) -> None:
    asked = told(talk, "shop")[:2]
    talk.state = replace(talk.state, exchanges=talk.state.exchanges[:2])
    for message in ("My third question: do you sell lamps?", "Second question: do you sell lamps?"):
        heard = talk.hear(message)
        assert heard.query == "do you sell lamps?"
    assert asked[1] not in talk.hear("My second question: do you sell lamps?").query


def test_a_question_that_was_never_asked_brings_nothing_along(talk: Any) -> None:
    told(talk, "clinic")
    assert talk.hear("the ninth question").query == "the ninth question"


def test_the_one_before_that_goes_on_from_the_question_that_was_pointed_at(talk: Any) -> None:
    asked = told(talk, "travel")
    talk.say("and my previous question?", "Eight kilos.")
    assert talk.say("the one before that", "An hour before.").query == asked[1]
    assert talk.say("and the one before that?", "Six.").query == asked[0]
    assert talk.hear("the one before that").query == "the one before that"


def test_the_one_before_that_is_no_question_where_none_was_pointed_at(talk: Any) -> None:
    asked = told(talk, "travel")
    assert talk.hear("the one before that").query not in asked


def test_the_second_one_is_a_question_after_another_one_was_pointed_at(talk: Any) -> None:
    asked = told(talk, "shop")
    talk.say("my first question", "Within 60 days.")
    assert talk.say("and the second?", "Yes.").query == asked[1]
    assert talk.hear("the third one").query == asked[2]


def test_the_second_one_is_an_entry_where_a_list_was_offered(talk: Any) -> None:
    talk.say("Which courses are there?", "There are:\n1. Baking bread\n2. Filleting fish")
    assert "fish" in talk.hear("the second one").query


def test_a_numbered_question_that_is_called_by_its_article_was_asked_before(talk: Any) -> None:
    told(talk, "shop")
    assert "Norway" in talk.hear("the second question: is customs duty included?").query


def test_small_talk_and_questions_asked_again_are_not_counted(talk: Any) -> None:
    talk.say("hello")
    talk.say("Is the flu vaccination painful?", "Hardly.")
    talk.say("thanks!")
    talk.say("Where can visitors park?", "Behind the house.")
    talk.say("my first question again", "Hardly.")
    assert talk.hear("the second question").query == "Where can visitors park?"


def test_the_second_question_of_a_list_that_was_offered_is_picked_from_it(talk: Any) -> None:
    told(talk, "human resources")
    talk.say(
        "Which questions come up in an interview?",
        "Prepare for these:\n1. Why do you apply?\n2. What are your strengths?\n3. When could you begin?",
    )
    assert "parental leave" not in talk.hear("the second question").query


def test_a_question_whose_subject_gave_way_to_another_lives_again_when_it_is_pointed_at(talk: Any) -> None:
    talk.say("What's the RPO for Frankfurt?", "15 minutes.")
    talk.say("and for Dublin?", "30 minutes.")
    assert talk.status("Frankfurt") == "superseded"
    heard = talk.say("my first question again", "15 minutes.")
    assert "Frankfurt" in heard.query
    assert talk.status("Frankfurt") == "live"
    assert "Frankfurt" in talk.hear("and the RTO there?").query


def test_a_message_that_only_points_leaves_no_thing_behind(talk: Any) -> None:
    told(talk, "cloud")
    talk.say("the second question", "Every night.")
    assert not any("question" in slot.name for slot in talk.state.slots)
    assert talk.state.exchanges[-1].terms == ()
    talk.say("no, my first question", "Two euros a month.")
    assert not any("question" in slot.name for slot in talk.state.slots)


def test_the_pointing_words_are_split_from_what_is_asked() -> None:
    cue = split_cue("So, about that first question: is it free?")
    assert (cue.kind, cue.core) == (CueKind.RETURN, "is it free?")
    assert cue.place is not None and cue.place.number == 1
