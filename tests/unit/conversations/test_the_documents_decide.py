"""What the wording leaves open is asked of the documents: whether a message stands alone, and what it goes on with."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from conversations.domain.affinity import Affinity
from conversations.domain.answer import Passage
from conversations.domain.classify import Classification, Kind, classify
from conversations.domain.consulting import scoped, weighed
from conversations.domain.policy import ScopePolicy, Thresholds
from conversations.domain.ports import Candidate
from conversations.domain.scope import Scope, select_scope
from tests.unit.conversations.conftest import words_vector


@dataclass
class Shelf:
    """Passages found by their words, with a cosine each; it remembers what it was asked."""

    texts: tuple[str, ...]
    asked: list[str] = field(default_factory=list)

    async def closest(self, text: str, limit: int) -> tuple[Candidate, ...]:
        self.asked.append(text)
        wanted = words_vector(text)
        scored = [(float(wanted @ vector), t) for t in self.texts if (vector := words_vector(t)) is not None]
        ranked = sorted(scored, reverse=True)[:limit]
        return tuple(
            Candidate(Passage(t, t, "", (), None, t), dense_score=score) for score, t in ranked if score > 0
        )


def nearest(total: float) -> tuple[Affinity, ...]:
    return (Affinity(1, total, total, total, total, 0.0, 0, total),)


FOLLOWS = Classification(Kind.FOLLOW_UP, True, affinities=nearest(0.4), margin=0.1)
ALONE = Classification(Kind.STANDALONE, False, affinities=nearest(0.24), margin=-0.04)
POLICY = ScopePolicy(thresholds=Thresholds(answered=0.45))


def judged(talk: Any, found: Classification, *texts: str) -> Classification:
    reading = talk.read("Which bridges carry lorries?")
    shelf: Any = Shelf(texts)
    return asyncio.run(weighed(reading, found, talk.state, POLICY, shelf))


def test_what_the_documents_know_as_it_stands_takes_nothing_along(talk: Any) -> None:
    found = judged(talk, FOLLOWS, "Bridges carry lorries.")
    assert (found.kind, found.dependent) == (Kind.STANDALONE, False)
    assert found.evidence[-1].sign == "answered as it stands"


def test_what_they_hardly_know_goes_on_with_something(talk: Any) -> None:
    assert judged(talk, ALONE, "Four bridges of the old town are closed to everybody in May.").dependent


def test_where_the_form_decides_they_are_not_asked(talk: Any) -> None:
    shelf: Any = Shelf(("Bridges carry lorries.",))
    found = replace(FOLLOWS, margin=None)
    assert asyncio.run(weighed(talk.read("Which bridges?"), found, talk.state, POLICY, shelf)) == found
    assert shelf.asked == []


def test_in_a_space_without_a_threshold_they_are_not_asked(talk: Any) -> None:
    shelf: Any = Shelf(("Bridges carry lorries.",))
    unknown = ScopePolicy(thresholds=Thresholds(answered=0.0))
    assert asyncio.run(weighed(talk.read("Which bridges?"), FOLLOWS, talk.state, unknown, shelf)) == FOLLOWS
    assert shelf.asked == []


def test_where_nothing_is_found_the_wording_stays_the_judge(talk: Any) -> None:
    assert judged(talk, FOLLOWS) == FOLLOWS


def scope_of(talk: Any, message: str, shelf: Any, policy: ScopePolicy = POLICY) -> Scope:
    reading = talk.read(message)
    classification = classify(reading, talk.state, policy)
    return asyncio.run(scoped(reading, classification, talk.state, policy, shelf))


@pytest.mark.parametrize(
    ("first", "second", "message", "passages", "turn"),
    [
        (
            ("Do you run pottery courses?", "Yes, on Saturdays."),
            ("Who repairs kilns?", "A technician from Ghent."),
            "does it need glaze?",
            ("Pottery courses need glaze and fit eight people.", "Kilns are repaired by a technician."),
            1,
        ),
        (
            ("Which trams go to the harbour?", "Line 4."),
            ("Can I hire a rowing boat?", "Yes, by the hour."),
            "does it need a deposit?",
            ("Trams run until midnight.", "A rowing boat to hire needs a deposit of 50 euros."),
            2,
        ),
        (
            ("Can I hire a rowing boat?", "Yes, by the hour."),
            ("Which trams go to the harbour?", "Line 4."),
            "does it need a deposit?",
            ("Trams run until midnight.", "A rowing boat to hire needs a deposit of 50 euros."),
            1,
        ),
    ],
)
def test_of_two_exchanges_that_are_as_near_the_one_that_finds_more_is_meant(
    talk: Any,
    first: tuple[str, str],
    second: tuple[str, str],
    message: str,
    passages: tuple[str, ...],
    turn: int,
) -> None:
    talk.say(*first)
    talk.say(*second)
    scope = scope_of(talk, message, Shelf(passages))
    assert scope.antecedent is not None
    assert scope.antecedent.turn == turn


def test_an_exchange_that_is_plainly_nearer_needs_no_search(talk: Any) -> None:
    talk.say("Which trams go to the harbour?", "Line 4 goes to the harbour.")
    talk.say("Can I hire a rowing boat at the lake?", "Yes, by the hour.")
    shelf = Shelf(("Trams to the harbour run until midnight.",))
    scope = scope_of(talk, "do those trams go to the harbour at night too?", shelf)
    assert scope.antecedent is not None
    assert (scope.antecedent.turn, shelf.asked) == (1, [])


def test_what_the_wording_points_at_needs_no_search(talk: Any) -> None:
    talk.say("Which trams go to the harbour?", "Line 4.")
    talk.say("Who runs the Antwerp office?", "Els Maes.")
    shelf = Shelf(("Trams run until midnight.",))
    scope = scope_of(talk, "is there parking there?", shelf)
    assert scope.antecedent is not None
    assert (scope.antecedent.turn, shelf.asked) == (2, [])


@pytest.mark.parametrize(
    ("totals", "contenders"),
    [
        ({3: 0.40, 2: 0.38, 1: 0.1}, (3, 2)),
        ({3: 0.40, 1: 0.38, 2: 0.1}, ()),
        ({1: 0.40, 3: 0.38, 2: 0.1}, (1, 3)),
        ({2: 0.40, 1: 0.38, 3: 0.1}, (2, 1)),
        ({1: 0.10, 3: 0.05, 2: 0.01}, (3, 1)),
    ],
    ids=["the one before", "further back", "to the latest", "both before", "all are far"],
)
def test_what_was_just_spoken_of_gives_way_to_nothing_further_back_than_the_one_before(
    talk: Any, totals: dict[int, float], contenders: tuple[int, ...]
) -> None:
    talk.say("Do you run pottery courses?", "Yes, on Saturdays.")
    talk.say("Which bridges carry lorries?", "Two of them.")
    talk.say("Can I hire a rowing boat?", "Yes, by the hour.")
    reading = talk.read("does it need a deposit there or a guarantee for the weekend?")
    near = tuple(Affinity(turn, t, t, t, t, 0.0, 0, t) for turn, t in totals.items())
    follows = replace(classify(reading, talk.state, POLICY), kind=Kind.FOLLOW_UP, dependent=True)
    scope = select_scope(reading, replace(follows, affinities=near), talk.state, POLICY)
    assert scope.contenders == contenders


@pytest.mark.parametrize(
    ("asked", "answer", "message"),
    [
        ("do you sell tools for the garden?", "We sell rakes.", "Do you sell paint?"),
        ("Do you sell garden tools?", "We sell rakes.", "Who sells tickets?"),
    ],
)
def test_a_whole_question_after_one_that_found_nothing_stands_alone_sooner(
    talk: Any, asked: str, answer: str, message: str
) -> None:
    """Who was told something asks on about it; who was told nothing asks something else."""
    talk.policy = replace(talk.policy, thresholds=replace(talk.policy.thresholds, related=0.45))
    before = talk.state
    talk.say(asked, answer)
    assert talk.hear(message).classification.dependent
    talk.state = before
    talk.say(asked, "")
    assert not talk.hear(message).classification.dependent
