"""A question with a slip in it is searched with the right word as well, from what the asking person may see."""

from __future__ import annotations

from conversations.domain.answer import Passage
from conversations.domain.turn_events import QueryDecided, SourcesFound
from tests.unit.turn.fakes import Model, Shelf, language, ports, say

DELIVERY = Passage("c1", "d1", "Sending", (), None, "Delivery costs €14 and takes five days.")
SECRET = Passage("c2", "d2", "Plans", (), None, "The merger with Quilling is announced in March.")
OTHER = Passage("c3", "d3", "Stores", (), None, "The store is open until six.")


def shelf(*hidden: str) -> Shelf:
    return Shelf((OTHER, DELIVERY, SECRET), hidden=frozenset(hidden))


def test_it_is_searched_with_the_right_word_and_as_typed():
    stored = shelf()
    heard = say("how much does delivry cost?", ports(shelf=stored, knows=language().knows))
    both = stored.asked[-1].queries
    assert [query.text for query in both] == ["how much does delivery cost?", "how much does delivry cost?"]
    assert both[0].dense_weight > both[1].dense_weight > 0
    assert heard.seen.startswith("Delivery costs €14")
    assert heard.end.trace["answer"]["spelling"] == {"delivry": "delivery"}


def test_what_is_shown_as_searched_has_the_right_word():
    heard = say("how much does delivry cost?", ports(shelf=shelf(), knows=language().knows))
    told = [event for event in heard.events if isinstance(event, QueryDecided)]
    assert [one.display for one in told] == ["how much does delivry cost?", "how much does delivery cost?"]
    assert isinstance(heard.events[2], SourcesFound)
    assert heard.end.decided == told[-1] and told[-1].query == "how much does delivery cost?"


def test_a_word_that_only_a_hidden_document_has_is_not_suggested():
    stored = shelf("c2")
    heard = say("when is the mergr announced?", ports(shelf=stored, knows=language().knows))
    assert len(stored.asked) == 1
    assert "merger" not in heard.decided.display and "merger" not in heard.seen
    seen = shelf()
    say("when is the mergr announced?", ports(shelf=seen, knows=language().knows))
    assert seen.searched[-2] == "when is the merger announced?"


def test_a_question_without_a_slip_is_searched_once():
    stored = shelf()
    heard = say("how much does delivery cost?", ports(shelf=stored, knows=language().knows))
    assert len(stored.asked) == 1
    assert sum(isinstance(event, QueryDecided) for event in heard.events) == 1


def test_another_language_and_an_unknown_vocabulary_are_left_alone():
    stored = shelf()
    say(
        "Was kostet die delivry nach Norwegen und wann kommt sie?",
        ports(shelf=stored, knows=language().knows),
    )
    say("how much does delivry cost?", ports(shelf=stored))
    assert len(stored.asked) == 2


def test_a_model_reads_the_query_as_it_is_spelt_right():
    model = Model(answer=("It costs €14 [1].",))
    say("how much does delivry cost?", ports(shelf=shelf(), model=model, knows=language().knows))
    shown = model.calls[-1][1][-1]["content"]
    assert "how much does delivery cost?" in shown and "how much does delivry cost?" in shown
