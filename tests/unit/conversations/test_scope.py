"""What may be seen when a message is rewritten, by strategy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conversations.domain.classify import classify
from conversations.domain.liveness import Horizons
from conversations.domain.policy import BadPolicy, ScopePolicy, Strategy
from conversations.domain.scope import select_scope


def shown(talk: Any, message: str, policy: ScopePolicy) -> list[int]:
    talk.policy = policy
    return [exchange.turn for exchange in talk.hear(message).scope.exchanges]


def test_it_shows_the_last_turns_of_a_window(cloud: Any) -> None:
    policy = ScopePolicy(strategy=Strategy.WINDOW, window=3)
    assert shown(cloud, "do they have to be unworn?", policy) == [2, 3, 4]


def test_it_shows_the_turns_since_the_boundary(cloud: Any) -> None:
    assert shown(cloud, "do they have to be unworn?", ScopePolicy(strategy=Strategy.SEGMENT)) == [4]


def test_it_shows_two_turns_and_the_one_that_is_meant(cloud: Any) -> None:
    assert shown(cloud, "is the RPO for Dublin guaranteed?", ScopePolicy()) == [2, 3, 4]


def test_it_cuts_the_two_turns_at_the_boundary_in_hybrid(cloud: Any) -> None:
    policy = ScopePolicy(strategy=Strategy.HYBRID)
    assert shown(cloud, "do they have to be unworn?", policy) == [4]


@pytest.mark.parametrize("strategy", Strategy)
def test_it_shows_nothing_after_a_change_of_subject(cloud: Any, strategy: Strategy) -> None:
    message = "new topic: which gift cards exist?"
    assert shown(cloud, message, ScopePolicy(strategy=strategy)) == []


def test_it_shows_no_closed_slot(cloud: Any) -> None:
    scope = cloud.hear("do they have to be unworn?").scope
    assert "Frankfurt" not in {slot.name for slot in scope.slots}
    assert "Frankfurt" in {slot.name for slot in scope.closed}


def test_it_lets_liveness_veto_what_is_near(talk: Any) -> None:
    talk.policy = ScopePolicy(horizons=Horizons(1, 2))
    talk.say("How long is the warranty on laptops?", "Two years.")
    talk.say("new topic: which gift cards exist?", "Paper ones.")
    talk.say("new topic: do you ship sofas?", "Yes.")
    talk.say("new topic: how do I reset my password?", "In the console.")
    heard = talk.hear("is it long?")
    assert 1 not in {exchange.turn for exchange in heard.scope.exchanges}


@pytest.mark.parametrize(
    "data",
    [
        {"window": 0},
        {"horizons": {"stale_after": 5, "evict_after": 5}},
        {"strategy": "all"},
        {"thresholds": {"related": 0.1, "unrelated": 0.5}},
    ],
)
def test_it_refuses_a_policy_that_makes_no_sense(data: dict[str, Any]) -> None:
    with pytest.raises(BadPolicy):
        ScopePolicy.from_json(data)


def test_it_takes_a_policy_through_json() -> None:
    policy = ScopePolicy(Strategy.HYBRID, 2, Horizons(2, 6, (("product", 1, 4),)), single_valued=("place",))
    assert ScopePolicy.from_json(policy.to_json()) == policy


@pytest.mark.parametrize("message", ["Where does it say that?", "Is that so?", "Is it?"])
def test_without_a_word_of_content_what_was_said_last_is_meant(talk: Any, message: str) -> None:
    talk.say("Does the library say how long a loan is?", "It says so in the rules: four weeks.")
    talk.say("May I take instruments home?", "Only with a deposit.")
    likened = replace(talk.read(message), vector=talk.state.exchanges[0].vector)
    classification = classify(likened, talk.state, talk.policy)
    assert select_scope(likened, classification, talk.state, talk.policy).antecedent.turn == 2


def test_an_ordinal_without_a_word_of_content_still_means_the_list(talk: Any) -> None:
    talk.say("Which rooms are there?", "There are three rooms:\n1. Blue room\n2. Garden room\n3. Attic room")
    talk.say("May I take instruments home?", "Only with a deposit.")
    assert talk.hear("And the second one?").scope.antecedent.turn == 1
