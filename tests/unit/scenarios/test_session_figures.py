"""The figures of a session: references, facts carried, old topics left, coherence, novelty, the experiment."""

from __future__ import annotations

import pytest

from conversations.domain.window import Background
from conversations.evaluation.scenarios.held import Compared
from conversations.evaluation.scenarios.measuring import (
    STRETCH,
    carried,
    coherence,
    experiment,
    passages,
    session_metrics,
)
from conversations.evaluation.scenarios.script import Expectation, KeyFact
from tests.unit.scenarios.builders import held, turn

CARD = KeyFact("card", 1, ("card", "4711"))


def test_coreference_counts_only_turns_that_cannot_stand_alone():
    needs_films = Expectation(required=("films",), depends=True)
    session = held(
        turn(1, "What does a card cost?", expected=Expectation(required=("nowhere",))),
        turn(2, "And with them?", "And with films?", needs_films),
        turn(3, "How many of them?", "How many of books?", needs_films),
    )

    assert session_metrics(session)["coreference_accuracy"] == 0.5


def test_coreference_is_none_where_every_turn_stands_alone():
    assert session_metrics(held(turn(1, "What does a card cost?")))["coreference_accuracy"] is None


@pytest.mark.parametrize(
    "at_hand",
    [
        {"query": "late fee for card 4711"},
        {"recent": ("My card is 4711.\nThank you.",)},
        {"background": Background(summary="The user has card 4711.")},
        {"background": Background(facts=("card: 4711",))},
    ],
    ids=["query", "recent turns", "summary", "ledger"],
)
def test_a_fact_is_carried_wherever_the_turn_can_see_it(at_hand):
    second = turn(2, "Is it overdue?", expected=Expectation(needs=("card",)), **at_hand)

    assert carried(held(turn(1, "My card is 4711."), second, facts=(CARD,))) == [(2, "card", True)]


def test_a_fact_is_not_carried_when_its_words_are_scattered():
    scattered = turn(
        2, "Is it overdue?", recent=("My card", "Room 4711"), expected=Expectation(needs=("card",))
    )

    assert carried(held(turn(1, "My card is 4711."), scattered, facts=(CARD,))) == [(2, "card", False)]


def test_contamination_is_of_the_turns_with_forbidden_terms():
    closed = Expectation(forbidden=("reading room",))
    session = held(
        turn(1, "Is the reading room open?"),
        turn(2, "And films?", "And films in the reading room?", closed),
        turn(3, "And maps?", expected=closed),
    )

    assert session_metrics(session)["contamination"] == 0.5


def test_coherence_asks_whether_a_query_names_something_of_the_turn_it_continues():
    session = [
        turn(1, "Which films are there?", terms=["films"], answered=["documentaries"]),
        turn(2, "How long are they lent?", "How long are films lent?", Expectation(continues=1)),
        turn(3, "And those?", "And documentaries?", Expectation(continues=1)),
        turn(4, "And the last?", "And maps?", Expectation(continues=1)),
    ]

    assert coherence(session) == (0.6667, 0.6667)


def test_coherence_does_not_count_what_the_engine_itself_had_added():
    session = [
        turn(1, "Tell me about it.", "Tell me about it. maps", terms=[]),
        turn(2, "How old?", "How old? maps", Expectation(continues=1)),
    ]

    assert coherence(session) == (0.0, 0.0)


def test_coherence_tells_the_worst_stretch_beside_the_mean():
    good = [turn(n, "films", terms=["films"], expected=Expectation(continues=n - 1)) for n in range(1, 31)]
    lost = [
        turn(n, "maps", terms=["maps"], expected=Expectation(continues=5)) for n in range(31, 31 + STRETCH)
    ]
    mean, worst = coherence([*good, *lost])

    assert worst == 0.0
    assert mean is not None and 0.3 < mean < 1.0


def test_passages_are_counted_once_however_often_they_are_given():
    session = [
        turn(1, "a", chunks=["x", "y"]),
        turn(2, "b", chunks=["y", "z"]),
        turn(3, "hello"),
        turn(4, "c", chunks=["x"]),
    ]
    given = passages(session)

    assert (given.unique, given.repeated) == (3, 2)
    assert given.novelty == (1.0, 0.5, None, 0.0)


def test_the_experiment_compares_both_wordings_and_tells_dependent_turns_apart():
    session = [
        turn(3, "a", expected=Expectation(depends=True), compared=Compared(rewritten=1.0, typed=0.0)),
        turn(4, "b", compared=Compared(rewritten=0.5, typed=1.0)),
        turn(5, "c"),
    ]
    told = experiment(session)

    assert told["turns"] == 2
    assert told["recall@5"] == {"with": 0.75, "without": 0.5}
    assert told["dependent_recall@5"] == {"with": 1.0, "without": 0.0}


def test_model_calls_are_told_as_mean_and_most():
    session = held(turn(1, "a", model_calls=1), turn(2, "b", model_calls=2))

    assert session_metrics(session)["model_calls"] == {"mean": 1.5, "most": 2}
