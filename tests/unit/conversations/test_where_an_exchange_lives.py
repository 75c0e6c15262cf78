"""Every exchange lives among the passages it was answered from; they tell what a message without a mark goes on with."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from conversations.domain.affinity import Affinity, at_home
from conversations.domain.answer import Passage
from conversations.domain.classify import Classification, Kind
from conversations.domain.consulting import weighed
from conversations.domain.policy import ScopePolicy, Thresholds
from conversations.domain.ports import Candidate, Near
from conversations.domain.state import ConversationState
from tests.unit.conversations.conftest import words_vector

POLICY = ScopePolicy(thresholds=Thresholds(answered=0.45, elsewhere=0.3))


@dataclass
class Shelf:
    """Passages by the words that are their ids as well; `hidden` ones may not be seen now."""

    texts: tuple[str, ...]
    hidden: frozenset[str] = frozenset()
    asked: list[frozenset[str]] = field(default_factory=list)

    def near(self, vector: Any, texts: Any) -> dict[str, float]:
        seen = [t for t in texts if t not in self.hidden]
        return {t: float(vector @ row) for t in seen if (row := words_vector(t)) is not None}

    async def closest(self, text: str, limit: int) -> tuple[Candidate, ...]:
        ranked = sorted(self.near(words_vector(text), self.texts).items(), key=lambda item: -item[1])
        return tuple(Candidate(Passage(t, t, "", (), None, t), dense_score=s) for t, s in ranked[:limit])

    async def nearness(self, vector: Any, chunk_ids: Any) -> dict[str, Near]:
        self.asked.append(frozenset(chunk_ids))
        return {text: Near(cosine, text) for text, cosine in self.near(vector, chunk_ids).items()}


def doubtful(margin: float, turns: tuple[int, ...] = (1,)) -> Classification:
    near = tuple(Affinity(turn, 0.2, 0.2, 0.2, 0.2, 0.0, 0, 0.2) for turn in turns)
    return Classification(Kind.STANDALONE, False, affinities=near, margin=margin)


def judged(talk: Any, message: str, shelf: Shelf, found: Classification) -> Classification:
    given: Any = shelf
    return asyncio.run(weighed(talk.read(message), found, talk.state, POLICY, given))


def living(talk: Any, *homes: tuple[str, ...]) -> ConversationState:
    pairs = zip(talk.state.exchanges, homes, strict=True)
    talk.state = replace(talk.state, exchanges=tuple(replace(e, home=home) for e, home in pairs))
    return talk.state


TRIAL = "A mattress trial lasts a hundred nights and then collection is charged."
ESTIMATE = "Repairs at the bench: an estimate is sent within two days."
TART = "Crumb bakery prices: almond tart four pounds, bread three pounds."


def test_a_message_that_its_passages_know_best_goes_on_with_that_exchange(talk: Any) -> None:
    talk.say("can you resole boots?", "Yes, the bench does.")
    living(talk, (ESTIMATE,))
    found = judged(
        talk, "How long until an estimate is sent?", Shelf((TRIAL, ESTIMATE, TART)), doubtful(-0.1)
    )
    assert (found.kind, found.dependent) == (Kind.FOLLOW_UP, True)
    assert (found.evidence[-1].sign, found.evidence[-1].detail) == (
        "known to what was answered before",
        "turn 1",
    )


def test_a_message_that_other_passages_know_much_better_is_about_something_else(talk: Any) -> None:
    talk.say("can you resole boots?", "Yes, the bench does.")
    living(talk, (ESTIMATE,))
    found = judged(talk, "How much is the almond tart?", Shelf((TRIAL, ESTIMATE, TART)), doubtful(-0.1))
    assert not found.dependent


def test_words_that_only_other_passages_have_count_against_it(
    talk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk.say("can you resole boots?", "Yes, the bench does.")
    living(talk, (ESTIMATE,))
    shelf = Shelf((TRIAL, ESTIMATE, "An estimate of the tart for weddings is sent by the bakery."))
    assert not judged(talk, "tart estimate", shelf, doubtful(0.2)).dependent
    monkeypatch.setattr("conversations.domain.consulting.KNOWN_WORDS", 0.0)
    assert judged(talk, "tart estimate", shelf, doubtful(0.2)).dependent


def test_of_two_exchanges_the_one_whose_passages_know_it_is_nearer(talk: Any) -> None:
    talk.say("can you resole boots?", "Yes, the bench does.")
    talk.say("we hate our mattress", "Please wait a while.")
    living(talk, (ESTIMATE,), (TRIAL,))
    shelf = Shelf((TRIAL, ESTIMATE, TART))
    order = [
        a.turn for a in judged(talk, "who sends the estimate?", shelf, doubtful(-0.1, (2, 1))).affinities
    ]
    assert order == [1, 2]
    order = [a.turn for a in judged(talk, "how many nights is it?", shelf, doubtful(-0.1, (1, 2))).affinities]
    assert order == [2, 1]


def test_the_exchange_that_is_meant_must_be_near_itself(talk: Any) -> None:
    """What was said in one exchange and the passages of another do not add up to a reason."""
    talk.say("can you resole boots?", "Yes, the bench does.")
    talk.say("we hate our mattress", "Please wait a while.")
    living(talk, (TRIAL,), (ESTIMATE,))
    shelf = Shelf((TRIAL, ESTIMATE, TART))

    def found(far: float) -> Classification:
        near = (
            Affinity(1, 0.3, 0.3, 0.3, 0.3, 0.0, 0, 0.3),
            Affinity(2, far, far, far, far, 0.0, 0, far),
        )
        return judged(talk, "who sends the estimate?", shelf, replace(doubtful(-0.1), affinities=near))

    assert [found(far).affinities[0].turn for far in (0.29, 0.0)] == [2, 2]
    assert [found(far).dependent for far in (0.29, 0.0)] == [True, False]


def test_what_may_not_be_seen_any_more_counts_for_nothing(talk: Any) -> None:
    talk.say("can you resole boots?", "Yes, the bench does.")
    living(talk, (ESTIMATE,))
    assert judged(
        talk, "How long until an estimate is sent?", Shelf((TRIAL, ESTIMATE, TART)), doubtful(-0.25)
    ).dependent
    shelf = Shelf((TRIAL, ESTIMATE, TART), hidden=frozenset({ESTIMATE}))
    found = judged(talk, "How long until an estimate is sent?", shelf, doubtful(-0.25))
    assert (found.dependent, found.affinities[0].home) == (False, 0.0)


@pytest.mark.parametrize("elsewhere", [0.0, 0.3])
def test_they_are_asked_only_in_a_space_whose_distances_are_known(talk: Any, elsewhere: float) -> None:
    talk.say("can you resole boots?", "Yes, the bench does.")
    living(talk, (ESTIMATE,))
    shelf: Any = Shelf((TRIAL, ESTIMATE))
    policy = ScopePolicy(thresholds=Thresholds(elsewhere=elsewhere))
    asyncio.run(weighed(talk.read("who sends it?"), doubtful(0.0), talk.state, policy, shelf))
    assert shelf.asked == ([frozenset({ESTIMATE})] if elsewhere else [])


def test_only_exchanges_that_the_message_may_go_on_with_are_asked(talk: Any) -> None:
    talk.say("can you resole boots?", "Yes, the bench does.")
    talk.say("we hate our mattress", "Please wait a while.")
    living(talk, (ESTIMATE,), (TRIAL,))
    shelf = Shelf((TRIAL, ESTIMATE))
    judged(talk, "who sends it?", shelf, doubtful(0.0, (2,)))
    assert shelf.asked == [frozenset({TRIAL})]


def test_where_nothing_was_found_for_an_exchange_nothing_changes(talk: Any) -> None:
    near, reading = doubtful(0.0, (2, 1)).affinities, talk.read("who sends the estimate?")
    assert [(a.turn, a.order) for a in at_home(reading, near, {}, {})] == [(2, 0.2), (1, 0.2)]


def test_of_two_that_are_as_near_the_one_whose_passages_have_the_words_is_nearer(talk: Any) -> None:
    near = doubtful(0.0, (2, 1)).affinities
    found = at_home(talk.read("who sends the estimate?"), near, {}, {1: 1.0, 2: 0.5})
    assert [(a.turn, a.known) for a in found] == [(1, 1.0), (2, 0.5)]


def test_a_message_of_hardly_a_word_says_little_to_compare_passages_with(talk: Any) -> None:
    near = doubtful(0.0, (2, 1)).affinities
    lifted = [
        at_home(talk.read(message), near, {1: 0.5}, {})[0].order
        for message in ("are they?", "are they sent?", "are the estimates sent early?")
    ]
    assert lifted == sorted(set(lifted))


def test_a_turn_remembers_what_it_cites_first_and_then_what_it_found(talk: Any) -> None:
    talk.say("can you resole boots?", "Yes, the bench does.", ("cited",))
    assert talk.state.last.home == ("cited",)
    assert ConversationState.from_json(talk.state.to_json()).last.home == ("cited",)


@pytest.mark.parametrize(
    "text",
    ["The boxes and the companies of Leeds.", "A company, its box in Leeds", "LEEDS’S company boxes"],
)
def test_words_are_known_in_any_spelling(talk: Any, text: str) -> None:
    talk.say("can you resole boots?", "Yes, the bench does.")
    talk.say("we hate our mattress", "Please wait a while.")
    living(talk, (text,), (TRIAL,))
    shelf = Shelf((TRIAL, text))
    found = judged(talk, "which company has the box in leeds?", shelf, doubtful(-0.1, (1, 2)))
    assert {a.turn: a.known for a in found.affinities}[1] == 1.0


@pytest.mark.parametrize(
    ("kind", "orders", "asked"),
    [
        (Kind.FOLLOW_UP, (0.5, 0.4), True),
        (Kind.TOPIC_RETURN, (0.5, 0.4), True),
        (Kind.FOLLOW_UP, (0.9, 0.2), False),
        (Kind.FOLLOW_UP, (0.5,), False),
        (Kind.CORRECTION, (0.5, 0.4), False),
        (Kind.SMALL_TALK, (0.5, 0.4), False),
    ],
)
def test_where_the_form_decides_they_are_asked_only_while_two_are_nearly_as_near(
    talk: Any, kind: Kind, orders: tuple[float, ...], asked: bool
) -> None:
    talk.say("can you resole boots?", "Yes, the bench does.")
    talk.say("we hate our mattress", "Please wait a while.")
    living(talk, (ESTIMATE,), (TRIAL,))
    near = tuple(Affinity(turn, o, o, o, o, 0.0, 0, o) for turn, o in zip((2, 1), orders, strict=False))
    shelf = Shelf((TRIAL, ESTIMATE))
    judged(talk, "who sends the estimate?", shelf, Classification(kind, True, affinities=near))
    assert bool(shelf.asked) is asked


def test_passages_tell_threads_apart_and_hardly_the_turns_of_one(talk: Any) -> None:
    talk.say("can you resole boots?", "Yes, the bench does.")
    talk.say("and what does that cost?", "It costs forty pounds.")
    talk.say("ok different question: how long is the mattress trial?", "A hundred nights.")
    living(talk, (ESTIMATE,), (TART,), (TRIAL,))
    assert [e.thread for e in talk.state.exchanges] == [1, 1, 3]
    shelf = Shelf((TRIAL, ESTIMATE, TART))
    found = judged(talk, "who sends the estimate?", shelf, doubtful(-0.1, (1, 2, 3))).affinities
    home = {a.turn: a.home for a in found}
    assert [a.turn for a in found] == [1, 2, 3]
    assert home[1] - home[2] < home[2] - home[3]


@pytest.mark.parametrize(
    ("message", "less"),
    [
        ("Does Norwich take mattresses for repairs?", 0.1),
        ("who sends the estimate?", 0.0),
        ("estimate?", 0.0),
    ],
)
def test_a_whole_question_about_several_things_of_its_own_must_be_known_better(
    talk: Any, message: str, less: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk.say("can you resole boots?", "Yes, the bench does.")
    living(talk, (ESTIMATE,))
    shelf = Shelf((TRIAL, ESTIMATE, TART))

    def weight() -> float:
        return judged(talk, message, shelf, doubtful(-0.2)).evidence[-1].weight

    taken = weight()
    monkeypatch.setattr("conversations.domain.consulting.OWN_SUBJECT", 0.0)
    assert weight() - taken == pytest.approx(less)


def test_what_only_passages_tie_to_an_exchange_is_noted_as_such(talk: Any) -> None:
    talk.say("can you resole boots?", "Yes, the bench does.")
    living(talk, (ESTIMATE,))
    shelf = Shelf((TRIAL, ESTIMATE, TART))
    found = [judged(talk, "How long until an estimate is sent?", shelf, doubtful(m)) for m in (-0.1, 0.3)]
    assert [(f.dependent, f.by_passages) for f in found] == [(True, True), (True, False)]
