"""Turns that users of comparable products report as broken, each with its neighbours, through the whole pipeline."""

from __future__ import annotations

import pytest

from conversations.domain.answer import Passage
from conversations.domain.state import ConversationState
from tests.unit.turn.fakes import Heard, Model, Shelf, ports, say, talk

DRONES = (
    Passage(
        "arch",
        "d1",
        "Kestrel",
        ("Architecture",),
        None,
        "The Kestrel drone has a flight core and two radios.",
    ),
    Passage(
        "price", "d1", "Kestrel", ("Price",), None, "The Kestrel drone costs 4,200 euros, batteries included."
    ),
    Passage("osprey", "d2", "Osprey", ("Price",), None, "The Osprey drone costs 7,900 euros."),
    Passage("osei", "d3", "People", (), None, "Dr. Amara Osei leads the clinic in Leeds since 2019."),
    Passage("size", "d4", "About us", (), None, "The company has 320 employees in four offices."),
    Passage(
        "shuttle", "d5", "Night shuttle", (), None, "The night shuttle runs every 30 minutes until 3:00."
    ),
    Passage("visa", "d6", "Visitors", (), None, "Visitors show a badge at the gate of the Leeds clinic."),
)


def searched(*messages: str, shelf: Shelf | None = None, model: Model | None = None) -> str:
    """The query of the last message of a talk."""
    told = talk(*messages, given=ports(shelf=shelf or Shelf(DRONES), model=model))
    return told[-1].decided.query


def asked_then(answer: str, *messages: str) -> Heard:
    """A talk whose assistant answers everything with the same words."""
    state = ConversationState()
    heard = None
    for message in messages:
        model = Model(answer=(answer,), rewrite=lambda _: "")
        heard = say(message, ports(shelf=Shelf(DRONES), model=model), state)
        state = heard.end.state
    assert heard is not None
    return heard


@pytest.mark.parametrize("message", ["And the price?", "price?", "What does it cost?", "how much is it"])
def test_and_the_price_looks_for_the_price_of_what_was_spoken_of(message: str) -> None:
    query = searched("Describe the architecture of the Kestrel drone.", message)
    assert "Kestrel" in query


@pytest.mark.parametrize(
    "message", ["Where does she work?", "Since when has she been there?", "What is her role?"]
)
def test_a_pronoun_means_the_person_of_the_conversation(message: str) -> None:
    assert "Osei" in searched("Who is Dr. Amara Osei?", message)


@pytest.mark.parametrize("yes", ["yes", "Yes, please.", "sure", "ok go ahead"])
def test_yes_accepts_what_was_offered_with_the_passages_in_hand(yes: str) -> None:
    heard = asked_then(
        "Trains stop at midnight [1]. Would you like to know more about the night shuttle?",
        "How do I get home late?",
        yes,
    )
    assert "night shuttle" in heard.decided.query.lower()
    assert "shuttle" in {c.passage.chunk_id for c in heard.sources.candidates}


@pytest.mark.parametrize("reply", ["March", "in March", "march please"])
def test_a_short_reply_fills_the_question_that_was_asked(reply: str) -> None:
    heard = asked_then("Which month do you mean?", "How many flights were cancelled?", reply)
    assert "flights" in heard.decided.query
    assert "march" in heard.decided.query.lower()


@pytest.mark.parametrize(
    "message",
    [
        "นโยบายการคืนเงินเป็นอย่างไรบ้าง",
        "返金ポリシーについて教えてください",
        "ما هي سياسة استرداد الأموال؟",
        "Wie lautet die Rückgaberegelung für Batterien?",
        "Каковы условия возврата товара?",
        "Quelle est la politique de remboursement pour les batteries ?",
    ],
)
def test_a_question_in_another_language_passes_unchanged(message: str) -> None:
    assert searched("Describe the architecture of the Kestrel drone.", message) == message


@pytest.mark.parametrize(
    "message", ["How are you today?", "thanks!", "Good morning", "ok great", "who are you?"]
)
def test_small_talk_is_not_rewritten_and_searches_nothing(message: str) -> None:
    shelf = Shelf(DRONES)
    heard = talk("Describe the architecture of the Kestrel drone.", message, given=ports(shelf=shelf))[-1]
    assert heard.decided.query == message
    assert len(shelf.asked) == 1


def test_another_of_its_kind_takes_the_question_and_a_correction_takes_its_place() -> None:
    messages = ["What may the reviewer role do?", "what about the approver role ?"]
    query = searched(*messages)
    assert "approver" in query.lower()
    assert "reviewer" not in query.lower()
    last = searched(*messages, "no, those are the old roles, I mean the new ones")
    assert "role" in last.lower()


@pytest.mark.parametrize(
    "message",
    [
        "I have a question about the Kestrel drone\nwhat does it cost?",
        "Kestrel drone\nhow much",
        "hi\nit's about the Kestrel drone\nwhat's the price",
    ],
)
def test_messages_in_a_row_are_one_thought(message: str) -> None:
    query = searched(message)
    assert "Kestrel" in query
    assert any(word in query for word in ("cost", "how much", "price"))


def test_a_return_in_other_words_finds_the_first_subject_again() -> None:
    shelf = Shelf(DRONES)
    searched(
        "What does the Kestrel drone cost?",
        "How many employees does the company have?",
        "When does the night shuttle run?",
        "Who leads the clinic in Leeds?",
        "Back to the drone we started with: are batteries included in its price?",
        shelf=shelf,
    )
    assert "Kestrel" in shelf.searched[-1]
    assert "shuttle" not in shelf.searched[-1]


def test_a_question_that_nothing_answered_spoils_no_later_one() -> None:
    shelf = Shelf(())
    first = say("What is the moon tariff of the Zanzibar lounge?", ports(shelf=shelf))
    second = say("What does the Osprey drone cost?", ports(shelf=Shelf(DRONES)), first.end.state)
    assert second.decided.query == "What does the Osprey drone cost?"
    assert "7,900" in second.end.answer
    assert "Zanzibar" not in second.end.answer
    assert "moon" not in second.end.answer


@pytest.mark.parametrize("message", ["What's the company size?", "How many employees does the company have?"])
def test_a_question_of_its_own_after_a_long_task_is_about_what_it_says(message: str) -> None:
    query = searched(
        "Describe the architecture of the Kestrel drone.",
        "How many radios does it have?",
        "What does it cost?",
        "Are batteries included?",
        message,
    )
    assert "Kestrel" not in query
    assert "radios" not in query
