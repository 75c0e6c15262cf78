"""What a session keeps between two turns, and that it stays small."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from conversations.domain.policy import ScopePolicy, Thresholds
from conversations.domain.state import ConversationState


def test_it_survives_a_round_trip_through_json(cloud: Any) -> None:
    text = json.dumps(cloud.state.to_json())
    assert ConversationState.from_json(json.loads(text)) == cloud.state


def test_it_stays_flat_over_two_hundred_turns(talk: Any) -> None:
    subjects = [
        "laptop",
        "sofa",
        "lamp",
        "gift card",
        "invoice",
        "region",
        "export",
        "refund",
        "warranty",
        "password",
    ]
    sizes = []
    for turn in range(200):
        name = f"{subjects[turn % 10]} model {turn % 70}"
        talk.say(f"new topic: what about the {name}?", f"The {name} is described in Chapter {turn % 70}.")
        sizes.append(len(json.dumps(talk.state.to_json())))
    assert talk.state.turn == 200
    assert sizes[199] < 1.15 * sizes[60]
    assert len(talk.state.exchanges) == talk.policy.budgets.exchanges_kept


def test_it_makes_the_users_words_live_and_the_assistants_offers(talk: Any) -> None:
    heard = talk.say("Which regions exist?", "The regions are Frankfurt, Dublin, and Oregon.")
    assert talk.status("regions") == "live"
    assert talk.status("Dublin") == "offered"
    assert {change.after.value for change in heard.changes} == {"live", "offered"}


def test_it_lets_the_assistant_keep_nothing_alive(talk: Any) -> None:
    talk.say("What's the RPO for Frankfurt?", "15 minutes in Frankfurt.")
    for number in range(4):
        talk.say(f"new topic: how do I reset password {number}?", "As in Frankfurt, use the console.")
    assert talk.status("Frankfurt") == "stale"


def test_it_revives_a_stale_entity_that_the_user_names(talk: Any) -> None:
    talk.say("What's the RPO for Frankfurt?", "15 minutes.")
    for number in range(4):
        talk.say(f"new topic: how do I reset password {number}?", "Use the console.")
    talk.say("is frankfurt certified?", "Yes.")
    assert talk.status("Frankfurt") == "live"


def test_it_evicts_after_long_silence_and_finds_it_again_by_name(talk: Any) -> None:
    talk.say("What's the RPO for Frankfurt?", "15 minutes.")
    for number in range(9):
        talk.say(f"new topic: how do I reset password {number}?", "Use the console.")
    old = talk.slot("Frankfurt")
    assert old.status.value == "evicted"
    talk.say("back to Frankfurt: is it certified?", "Yes.")
    assert talk.slot("Frankfurt").recalls == old.id


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("Which month do you want?", "which"),
        ("Do you mean the Basic or the Business plan?", "choice"),
        ("Would you like to know more about refunds?", "offer"),
        ("Shoes can be returned. Have you worn them?", "open"),
    ],
)
def test_it_notes_what_the_assistant_asked(talk: Any, answer: str, kind: str) -> None:
    talk.say("Hello, I have a problem with an order", answer)
    assert talk.state.pending.kind == kind


@pytest.mark.parametrize(
    "answer", ["Fine. How can I help you today?", "Done. Any other questions?", "It is free."]
)
def test_it_does_not_take_courtesy_for_a_question(talk: Any, answer: str) -> None:
    talk.say("I have a problem with an order", answer)
    assert talk.state.pending is None


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ("We accept: 1. Cards 2. PayPal 3. Bank transfer", ["Cards", "PayPal", "Bank transfer"]),
        ("Options:\n- Basic: for one\n- Business: for teams", ["Basic", "Business"]),
        (
            "Steps:\n1. **Create a key** - in the console\n2. **Rotate it** - every year",
            ["Create a key", "Rotate it"],
        ),
        ("The plans are Basic, Business, and Enterprise.", ["Basic", "Business", "Enterprise"]),
        ("It costs 1. 5 euros.", []),
        ("There is one plan.", []),
    ],
)
def test_it_notes_the_items_of_a_list_in_order(talk: Any, answer: str, items: list[str]) -> None:
    talk.say("What is there?", answer)
    assert [item.text for item in talk.state.last.items] == items


def test_it_counts_topics_by_segment(cloud: Any) -> None:
    assert [topic.first_turn for topic in cloud.state.topics] == [1, 4]
    cloud.say("back to the RPO in Dublin", "30 minutes.")
    assert cloud.state.topics[-1].first_turn == 5


def test_a_question_far_from_what_the_stretch_is_about_begins_a_new_one(talk: Any) -> None:
    talk.say("How do I return shoes?", "Within 30 days.")
    talk.say("Can I return worn shoes?", "No, only new shoes.")
    assert [exchange.segment for exchange in talk.state.exchanges] == [1, 1]
    talk.policy = ScopePolicy(thresholds=Thresholds(related=2.0, unrelated=0.0, boundary=0.5))
    talk.say("Where does the tram to the harbour stop on Sundays?", "At the town hall.")
    assert [exchange.segment for exchange in talk.state.exchanges] == [1, 1, 2]
    talk.policy = ScopePolicy(thresholds=Thresholds(related=2.0, unrelated=0.0, boundary=-1.0))
    talk.say("Which museum lends audio guides to schools?", "The city museum.")
    assert talk.state.exchanges[-1].segment == 2


def test_without_a_vector_no_stretch_is_left(talk: Any) -> None:
    talk.say("How do I return shoes?", "Within 30 days.")
    bare = replace(talk.state.topics[-1], centroid=b"")
    talk.state = replace(talk.state, topics=(bare,))
    talk.policy = ScopePolicy(thresholds=Thresholds(related=2.0, unrelated=0.0, boundary=0.9))
    talk.say("Where does the tram to the harbour stop on Sundays?", "At the town hall.")
    assert talk.state.exchanges[-1].segment == 1
