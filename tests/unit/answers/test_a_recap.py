"""What the conversation was about is told from the conversation."""

from __future__ import annotations

import pytest

from conversations.domain.answer.citations import without_markers
from conversations.domain.answer.recap import asks_for_recap
from tests.unit.turn.fakes import Shelf, ports, talk


@pytest.mark.parametrize(
    "message",
    [
        "Summarise what we have discussed so far",
        "can you recap our conversation?",
        "What did I ask first?",
        "what have we talked about so far",
        "What was my first question?",
        "What was the second thing I asked you?",
    ],
)
def test_it_knows_a_question_about_the_conversation(message: str) -> None:
    assert asks_for_recap(message)


@pytest.mark.parametrize(
    "message",
    [
        "Summarise the leave policy",
        "Thanks. Can you summarise what applies to us?",
        "Can we go over budget?",
        "Can you sum up our refund policy?",
        "What did the auditors ask for?",
        "What do I have to ask before renting?",
        "Is there a summary of costs?",
    ],
)
def test_a_question_about_documents_is_not_one(message: str) -> None:
    assert not asks_for_recap(message)


def test_it_lists_what_was_asked_and_searches_nothing() -> None:
    shelf = Shelf()
    told = talk(
        "What is the RPO in Frankfurt?",
        "thanks",
        "What do customer-managed keys cost?",
        "Summarise what we have discussed so far",
        given=ports(shelf=shelf),
    )
    answer = told[-1].end.answer
    assert "1. What is the RPO in Frankfurt?" in answer
    assert "2. What do customer-managed keys cost?" in answer
    assert "3 euros" in answer and "[1]" not in answer
    assert len(shelf.asked) == 2


def test_markers_and_emphasis_are_no_part_of_what_was_said() -> None:
    assert without_markers("It is **5 minutes** [1][2]. See [the page](x) [3].") == (
        "It is 5 minutes. See [the page](x)."
    )


def test_an_answers_markers_never_become_things_that_were_named() -> None:
    state = talk("What is the RPO in Frankfurt?", given=ports())[0].end.state
    assert "[" not in state.exchanges[-1].answer
    assert all("[" not in slot.name for slot in state.slots)
