"""Of a long message that tells a story and then asks, the question is searched first and answered; a model reads all of it."""

from __future__ import annotations

from conversations.domain.answer import Passage
from tests.unit.turn.fakes import Model, Shelf, ports, say

DELIVERY = Passage("c1", "d1", "Sending", (), None, "Delivery of a sofa costs €14 and takes five days.")
OTHER = Passage("c2", "d2", "Stores", (), None, "The Leeds store is open until six.")
STORY = (
    "My grandmother turned ninety last week and all of us want to give her something to sit on, because the old thing in "
    "her living room in York is older than my father and its springs come out on the left side, and my uncle has already "
    "measured the stairs, which are narrow. What does delivery of a sofa cost?"
)


def test_its_question_is_searched_first_and_answered():
    shelf = Shelf((OTHER, DELIVERY))
    heard = say(STORY, ports(shelf=shelf))
    searched = shelf.asked[-1].queries[0].text
    assert searched.startswith("What does delivery of a sofa cost? My grandmother")
    assert heard.decided.display == "What does delivery of a sofa cost?"
    assert heard.seen.startswith("Delivery of a sofa costs €14")


def test_a_model_reads_all_of_it():
    model = Model(answer=("It costs €14 [1].",))
    say(STORY, ports(shelf=Shelf((OTHER, DELIVERY)), model=model))
    assert "My grandmother turned ninety" in model.calls[-1][1][-1]["content"]
