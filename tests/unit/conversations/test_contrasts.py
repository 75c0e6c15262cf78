"""The last question asked of another thing, in whatever form, and what a message points back at by describing it."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.corrections import is_correction
from conversations.domain.cues import CueKind, split_cue
from conversations.domain.frames import is_frame
from conversations.domain.marks import Mark
from conversations.domain.words import contains_key, key_of

# A talk is a list of (message, answer); the last message's query must and must not hold these words.
Case = tuple[list[tuple[str, str]], str, str, str]
SOFA = [("How long can I return a sofa?", "A sofa can be returned within 30 days in its box.")]
FAN = [("What's the warranty on the Brisa fan?", "Two years, five years on the motor.")]
LATE = [("May I renew DVDs?", "DVDs may be renewed once.")]
STORE = [("when does the Leeds store open on sundays", "From 11:00 to 17:00.")]
ASSEMBLY = [("What does assembly of a wardrobe cost?", "89 euros, a chest of drawers 49 euros.")]

ASKED_AGAIN: dict[str, Case] = {
    "a clause with if": (SOFA, "and if it's a mattress?", "return mattress", "sofa box"),
    "does that go for": (SOFA, "Does that go for lamps too?", "return lamps", "sofa box"),
    "is it the same with": (SOFA, "is it the same with plants?", "return plants", "sofa box"),
    "what is it for": (FAN, "And what is it for the Polar heater?", "warranty Polar heater", "Brisa motor"),
    "a word that begins like an article": (LATE, "And with audiobooks?", "renew audiobooks", "DVD"),
    "would … be": (ASSEMBLY, "And what would a bookcase be?", "assembly bookcase", "wardrobe drawers"),
}
CORRECTED: dict[str, Case] = {
    "a late not": (SOFA, "it's an armchair, not a sofa", "return armchair", "sofa box"),
    "was wrong": (STORE, "Leeds was wrong, I need Bradford", "open Bradford", "Leeds"),
    "don't mean": (STORE, "I don't mean sundays but saturdays", "Leeds open saturdays", "sundays"),
    "actually, at the end": (
        [("How long does shipping to Norway take?", "Four to six days.")],
        "I live in Sweden actually",
        "shipping Sweden",
        "Norway",
    ),
}


@pytest.mark.parametrize("name", [*ASKED_AGAIN, *CORRECTED])
def test_it_puts_the_new_thing_in_the_place_of_the_old_one(talk: Any, name: str) -> None:
    said, message, wanted, unwanted = {**ASKED_AGAIN, **CORRECTED}[name]
    for question, answer in said:
        talk.say(question, answer)
    query = key_of(talk.hear(message).query)
    assert [w for w in wanted.split() if not contains_key(query, key_of(w))] == [], query
    assert [w for w in unwanted.split() if contains_key(query, key_of(w))] == [], query


def test_it_drops_a_thing_that_may_have_given_way_when_it_is_unclear_which(talk: Any) -> None:
    talk.say("can students borrow a laptop with a bag over night", "Yes, with their card.")
    heard = talk.hear("And magazines?")
    assert not contains_key(key_of(heard.query), "card")


@pytest.mark.parametrize(
    "message",
    [
        "Does that go for lamps too?",
        "is it the same with plants?",
        "can teachers too?",
        "How long for a bed?",
    ],
)
def test_it_sees_the_last_question_in_another_form(read: Any, message: str) -> None:
    assert is_frame(read(message))


@pytest.mark.parametrize(
    "message", ["what does it cost to copy them abroad", "Is there a lift?", "Can I return a gift?"]
)
def test_it_sees_a_question_of_its_own(read: Any, message: str) -> None:
    assert not is_frame(read(message))


@pytest.mark.parametrize(
    "message",
    [
        "Hang on, it's a mattress",
        "I wrote the wrong size",
        "Mine is oak though, not pine",
        "scratch that, to Rome",
    ],
)
def test_it_hears_what_a_statement_takes_back(message: str) -> None:
    assert is_correction(message)


@pytest.mark.parametrize(
    "message", ["I got the wrong size, can I exchange it?", "Is it wrong to feed ducks?", "I want a refund"]
)
def test_it_hears_no_correction_in_a_complaint_that_asks(message: str) -> None:
    assert not is_correction(message)


@pytest.mark.parametrize(
    ("message", "core"),
    [
        ("Turning to research, what has she published?", "research, what has she published?"),
        ("And now delivery: how fast can I have it?", "delivery: how fast can I have it?"),
        ("Leaving prices aside, does it fold?", "does it fold?"),
    ],
)
def test_it_hears_a_change_that_names_the_new_subject_or_the_old_one(message: str, core: str) -> None:
    cue = split_cue(message)
    assert (cue.kind, cue.core) == (CueKind.PIVOT, core)


def test_it_keeps_the_old_thing_for_a_pronoun_after_a_new_aspect(talk: Any) -> None:
    talk.say("Tell me about the Kestrel tent.", "The Kestrel is a tent for two people.")
    talk.say("what's it made of?", "The outer tent is nylon, the poles are aluminium.")
    query = key_of(talk.hear("and now delivery: how fast can I have it?").query)
    assert contains_key(query, "kestrel")
    assert not contains_key(query, "nylon")


@pytest.mark.parametrize(
    ("message", "refers"),
    [
        ("Turning to research, what has she published?", True),
        ("My sister is ill, can she cancel?", False),
        ("Security: may we encrypt their code?", True),
    ],
)
def test_a_bare_noun_explains_no_person_and_no_plural(read: Any, message: str, refers: bool) -> None:
    assert read(message).has(Mark.PRONOUN) is refers


def test_it_finds_something_closed_by_what_it_is_described_by(talk: Any) -> None:
    talk.say("Tell me about the Osprey backpack.", "The Osprey holds 45 litres and has a rain cover.")
    talk.say("Is the cover removable?", "Yes, it is attached with two clips.")
    for place in ("Bath", "Hull", "Leeds", "York", "Derby", "Truro", "Ely", "Wells", "Ripon"):
        talk.say(f"When does the {place} branch open?", "At nine.")
    assert talk.hear("That bag with the clips, is it waterproof?").scope.antecedent.turn == 2


def test_an_ellipsis_after_ok_is_no_small_talk(talk: Any) -> None:
    talk.say("How much is a day ticket for the tram?", "65 kronor.")
    assert talk.hear("ok and for the bus").kind != "small_talk"
    assert talk.hear("ok thanks for the help").kind == "small_talk"


def test_a_reply_is_put_after_the_question_it_answers(talk: Any) -> None:
    talk.say("How long does a repair take?", "That depends. Is it a phone, a laptop or a tablet?")
    query = key_of(talk.hear("a laptop").query)
    assert contains_key(query, "repair")
    assert contains_key(query, "laptop")


def test_a_yes_asks_what_was_offered_without_the_offer(talk: Any) -> None:
    talk.say("What's in the family ticket?", "Two adults. Shall I tell you what it costs in the holidays?")
    query = key_of(talk.hear("yes please").query)
    assert contains_key(query, "holiday")
    assert not contains_key(query, "shall")
