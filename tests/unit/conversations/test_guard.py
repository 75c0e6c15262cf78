"""Whatever a model writes, closed and invented things stay out of the search."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conversations.domain.words import contains_key, key_of


def says(query: str) -> Callable[[Any], str]:
    return lambda reading: json.dumps({"query": query, "kind": "follow_up", "topic_shift": False})


def test_it_accepts_a_good_rewrite_as_it_is(cloud: Any) -> None:
    heard = cloud.hear("do they have to be unworn?", says("Do shoes have to be unworn to be returned?"))
    assert heard.query == "Do shoes have to be unworn to be returned?"
    assert (heard.ruling.verdict, heard.ruling.action, heard.ruling.origin) == ("clean", "accepted", "model")


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("Do shoes have to be unworn for Frankfurt?", "Do shoes have to be unworn?"),
        ("Do shoes have to be unworn in Frankfurt, and for RPO?", "Do shoes have to be unworn?"),
        ("Do Frankfurt's shoes have to be unworn?", "Do shoes have to be unworn?"),
    ],
)
def test_it_drops_what_is_closed_and_keeps_the_question(cloud: Any, written: str, wanted: str) -> None:
    heard = cloud.hear("do they have to be unworn?", says(written))
    assert (heard.query, heard.ruling.verdict, heard.ruling.action) == (wanted, "contaminated", "repaired")
    assert "Frankfurt" in " ".join(heard.ruling.offending)


def test_it_takes_the_offline_rewrite_when_nothing_of_use_remains(cloud: Any) -> None:
    heard = cloud.hear("do they have to be unworn?", says("Do they have to be unworn in Frankfurt?"))
    assert (heard.ruling.verdict, heard.ruling.action, heard.ruling.origin) == (
        "contaminated",
        "fell_back",
        "offline",
    )
    assert contains_key(key_of(heard.query), "shoe")


def test_it_keeps_out_what_belongs_to_a_part_that_was_left(cloud: Any) -> None:
    heard = cloud.hear(
        "do they have to be unworn?", says("Do shoes have to be unworn with customer-managed keys?")
    )
    assert heard.ruling.verdict == "contaminated"
    assert "key" not in heard.query


def test_it_keeps_out_a_name_that_nobody_said(cloud: Any) -> None:
    heard = cloud.hear("do they have to be unworn?", says("Do Zalando shoes have to be unworn?"))
    assert heard.ruling.verdict == "invented"
    assert "Zalando" not in heard.query


def test_it_lets_the_message_name_what_is_closed(cloud: Any) -> None:
    heard = cloud.hear("is the RPO for Frankfurt guaranteed?", says("Is the RPO for Frankfurt guaranteed?"))
    assert contains_key(key_of(heard.query), "frankfurt")
    assert heard.ruling.verdict == "clean"


@pytest.mark.parametrize(
    "reply",
    [
        "Sure! Shoes can be returned within 30 days of purchase.",
        "I cannot help with that.",
        " ".join(["Shoes may be returned"] * 60),
        "",
        '```json\n{"query": ""}\n```',
    ],
)
def test_it_survives_a_model_that_answers_instead(cloud: Any, reply: str) -> None:
    heard = cloud.hear("do they have to be unworn?", lambda reading: reply)
    assert heard.ruling.origin in {"offline", "typed"}
    assert contains_key(key_of(heard.query), "unworn")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["Frankfurt", "frankfurt", "FRANKFURT", "Frankfurt's"]),
    st.text(max_size=60),
    st.text(max_size=60),
)
def test_it_never_lets_a_superseded_entity_through(cloud: Any, name: str, before: str, after: str) -> None:
    heard = cloud.hear("do they have to be unworn?", says(f"{before} shoes {name} {after}"))
    assert not contains_key(key_of(heard.query), "frankfurt")


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (
            "You said earlier that Aurora is free. What does the Basic plan cost?",
            "What does the Basic plan cost?",
        ),
        ("As you mentioned, project Aurora ends in May, so when are refunds paid?", "When are refunds paid?"),
        (
            "Since you told me that Aurora covers it, how long is the laptop warranty?",
            "How long is the laptop warranty?",
        ),
        ("u said there's an Aurora lane. which lane is the default in the pool", "which lane is the default"),
        (
            "Going by the Aurora option you described, how often are keys changed?",
            "How often are keys changed?",
        ),
        ("You already walked me through Aurora. Who owns the lift keys?", "Who owns the lift keys?"),
        (
            "Aurora was repaired last week, you said. Who is the head of repairs?",
            "Who is the head of repairs?",
        ),
    ],
)
def test_it_carries_no_false_memory(cloud: Any, message: str, wanted: str) -> None:
    heard = cloud.hear(message)
    assert "Aurora" not in heard.query
    assert wanted.rstrip("?").lower() in heard.query.lower()


@pytest.mark.parametrize(
    "message",
    [
        "You mentioned project Aurora. When does it launch?",
        "You said Aurora is free. Is Aurora really free?",
        "What did you say about Aurora?",
        "Did you say that Aurora is free?",
    ],
)
def test_it_searches_for_a_claim_that_the_message_itself_asks_about(cloud: Any, message: str) -> None:
    assert "Aurora" in cloud.hear(message).query


def test_it_keeps_a_memory_that_is_true(cloud: Any) -> None:
    heard = cloud.hear("You said that shoes can be returned within 30 days. What about the box?")
    assert contains_key(key_of(heard.query), "30 day")


@pytest.mark.parametrize(
    "message",
    [
        "You told me that the thermal pool at St Oswin's is at 30 degrees. Is that really so?",
        "You mentioned a free ferry between the two piers before. When's its last run in the evening?",
        "Remember you said the locksmith gets here in 20 minutes? I am still waiting, so how long is it really?",
    ],
)
def test_a_question_about_a_claim_of_something_new_leans_on_nothing_else(talk: Any, message: str) -> None:
    talk.say("When does the sewing class meet?", "On weekday mornings from 08:30.")
    heard = talk.hear(message)
    assert heard.query == heard.reading.core
    assert heard.scope.antecedent is None


@pytest.mark.parametrize(
    ("message", "searched"),
    [
        (
            "At the appointment with my brother that we talked about, what would two printed pictures cost?",
            "what would two printed pictures cost",
        ),
        (
            "And the deposit of 20 crowns that you said I'd paid, how do I get that back?",
            "how do I get that back",
        ),
        ("The guide who you said is the best, does she speak Danish?", "does she speak Danish"),
    ],
)
def test_a_clause_that_describes_a_thing_is_no_claim_to_cut(talk: Any, message: str, searched: str) -> None:
    talk.say("What happens at the twenty-week scan?", "The baby is measured.")
    assert searched in talk.hear(message).query


@pytest.mark.parametrize(
    "message",
    [
        "earlier on you recommended the Vesuvio pizza. what does the soup of the day cost in the canteen",
        "I could have sworn you mentioned a Vesuvio pizza. What does the soup of the day cost in the canteen?",
        "I'm pretty sure that you recommended the Vesuvio pizza. What does the soup of the day cost in the canteen?",
    ],
)
def test_a_claim_is_cut_with_the_words_that_lead_up_to_it(talk: Any, message: str) -> None:
    talk.say("Is there a canteen?", "Yes, on the first floor.")
    assert talk.hear(message).query.startswith("What does the soup of the day cost in the canteen")


@pytest.mark.parametrize("claim", ["version 1.20 is supported", "it opens at 8:30", "it costs 9.50 euros"])
def test_a_claim_is_not_cut_at_a_decimal_point(cloud: Any, claim: str) -> None:
    assert cloud.hear(f"you said {claim}").query.startswith(f"you said {claim}")


@pytest.mark.parametrize("title", ["Mr.", "Dr.", "Mrs."])
def test_a_claim_is_not_cut_at_a_title(cloud: Any, title: str) -> None:
    query = cloud.hear(f"You said {title} Lindq runs support. Who heads the sales department?").query
    assert "Lindq" not in query and "sales department" in query
