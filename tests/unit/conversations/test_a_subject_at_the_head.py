"""A message that names its own subject before a colon or a dash answers its pronoun itself: "sofa: how do I return it?"."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.marks import Mark

BEFORE = {
    "shop": [("How long is delivery of a Fjord sofa?", "Seven weeks."), ("Do you deliver to Norway?", "Yes.")],
    "human resources": [("Who approves a sabbatical?", "The head of the department.")],
    "cloud": [("What does the Standard plan cost?", "145 euros."), ("How long are backups kept?", "35 days.")],
    "clinic": [("Do you treat sports injuries?", "Yes."), ("Which vaccinations do you give?", "All common ones.")],
    "travel": [("Does the night train carry bicycles?", "Six of them."), ("Is there a dining car?", "Yes.")],
}  # fmt: skip
HEADED = [
    ("shop", "sofa: how do I return it?"),
    ("shop", "armchairs - are they covered?"),
    ("shop", "sofas - do they come assembled?"),
    ("shop", "the Fjord sofa: can it be returned?"),
    ("shop", "gift cards? how long are they valid?"),
    ("shop", "my wardrobe, can I cancel it?"),
    ("shop", "returns: how do they work?"),
    ("shop", "Delivery to Norway: how much is it?"),
    ("human resources", "notice period of the managers - how long is it?"),
    ("shop", "gift cards: can I pay a workshop with one?"),
    ("shop", "Bristol store: can I park there?"),
    ("human resources", "Parental leave request: who signs it?"),
    ("human resources", "a question about my parking permit: can I extend it?"),
    ("human resources", "Company bicycles; who insures them?"),
    ("cloud", "Enterprise plan: does it include phone support?"),
    ("cloud", "Audit logs – who can read them?"),
    ("cloud", "Node.js 20: is it supported?"),
    ("cloud", "Load balancer... does it cost extra?"),
    ("clinic", "ibuprofen: may children take it?"),
    ("clinic", "Flu vaccination - does it hurt?"),
    ("travel", "the Porto night train: does it carry bikes?"),
    ("travel", "our rental car, where do we leave it?"),
    ("travel", "ok, and sleeping cars: how many beds do they have?"),
]


@pytest.mark.parametrize(("subject", "message"), HEADED)
def test_it_stands_on_its_own_whatever_was_said_before(subject: str, message: str, talk: Any) -> None:
    for said, answer in BEFORE[subject]:
        talk.say(said, answer)
    heard = talk.hear(message)
    assert not heard.classification.dependent
    assert (heard.query, heard.ruling.display) == (heard.reading.core, heard.reading.core)


@pytest.mark.parametrize(
    "message",
    [
        "that plan: what does it cost?",
        "price: what is it?",
        "notice period: how long is it?",
        "delivery: when can I have it?",
        "warranty - does it cover breakage?",
        "the plan: what does it include?",
        "the city with the heated flats: is it far?",
        "the third one: can I return it?",
        "Anna, is it free?",
        "sir, can I bring it back?",
        "No, can I bring it back?",
        "Interesting. How long does it last?",
        "One question: is it far?",
        "If I cancel, do I get it back?",
        "armchair: is that plan still on?",
        "my colleague: when does she arrive?",
        "Cold. I mixed it up",
    ],
)
def test_what_is_no_subject_of_its_own_answers_no_pronoun(message: str, talk: Any) -> None:
    assert not talk.read(message).headed


def test_one_reference_is_answered_and_the_other_was_said_before(talk: Any) -> None:
    reading = talk.read("And your vans, do they run on it as well?")
    assert [word for mark, word in reading.marks if mark is Mark.PRONOUN] == ["it"]
    assert not reading.headed
    place = talk.read("And the Mission tier, what are its objectives there?")
    assert place.has(Mark.PLACE) and not place.has(Mark.PRONOUN)


def test_a_place_at_the_head_is_there_and_nothing_else_is(talk: Any) -> None:
    assert talk.read("Dublin: can I use my own keys there?").headed
    assert not talk.read("Audit logs: can I use my own keys there?").headed
