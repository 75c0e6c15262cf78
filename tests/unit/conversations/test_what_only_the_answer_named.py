"""The one name of an answer is what "that clinic" and "hire her" mean, where the user had no word of that kind for it."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.words import contains_key, key_of

AID = (
    "When can I get my hearing aid repaired without an appointment?",
    "On Monday and Thursday, at Tidewell.",
)
SHIP = ("fast catamaran passengers", "The Petrel carries 220 foot passengers and has no car deck.")
QUEUE = (
    "Is there something for messages between services?",
    "Yes, Hermes delivers each message at least once.",
)
OVEN = ("Do you have a quiet oven?", "The Norrland is the quietest, with a steam function.")
LEAVE = ("Who approves unpaid leave?", "Moira Kelso, with the consent of the unit.")


def holds(query: str, words: str) -> bool:
    return contains_key(key_of(query), key_of(words))


@pytest.mark.parametrize(
    ("turn", "message", "named", "left_out"),
    [
        (AID, "Does that clinic do walk-in X-rays as well?", "Tidewell", "hearing aid"),
        (SHIP, "what does it cost to hire her for an evening", "Petrel", "car deck"),
        (QUEUE, "what does that product cost?", "Hermes", "each message"),
        (OVEN, "how long is the warranty on that model?", "Norrland", "steam function"),
        (LEAVE, "can I phone her directly?", "Moira Kelso", "consent"),
    ],
)
def test_the_one_name_of_the_answer_is_meant(
    talk: Any, turn: tuple[str, str], message: str, named: str, left_out: str
) -> None:
    talk.say(*turn)
    query = talk.hear(message).query
    assert holds(query, named)
    assert not holds(query, left_out)


def test_what_belongs_to_her_is_asked_of_whom_the_user_meant(talk: Any) -> None:
    talk.say("Does my sister need a visa?", "Yes, the Consulate issues it.")
    assert not holds(talk.hear("is her passport enough?").query, "Consulate")


def test_of_two_names_neither_is_meant_alone(talk: Any) -> None:
    talk.say("Is there a fast catamaran?", "The Petrel and the Gannet are fast.")
    query = talk.hear("Does that ship carry horses?").query
    assert holds(query, "Petrel") is holds(query, "Gannet")


def test_what_the_user_called_so_is_no_name_of_the_answer_alone(talk: Any) -> None:
    talk.say("Which insurance covers the boat?", "Ask Halden; a deposit is needed.")
    query = talk.hear("is that insurance paid monthly?").query
    assert holds(query, "boat")
    assert holds(query, "deposit")


def test_what_nobody_spoke_of_is_no_name_of_an_answer(talk: Any) -> None:
    """A question with things of its own about "that rebate" takes up no clinic instead."""
    talk.say(*AID)
    query = talk.hear("Does that rebate cover spectacles and walk-in X-rays?").query
    assert not holds(query, "Tidewell")
    assert not holds(query, "hearing aid")


def test_her_before_a_noun_owns_it_and_her_behind_a_verb_does_not(talk: Any) -> None:
    talk.say(*SHIP)
    assert holds(talk.hear("where can I board her").query, "Petrel")
    assert not holds(talk.hear("how wide are her cabins").query, "car deck")
