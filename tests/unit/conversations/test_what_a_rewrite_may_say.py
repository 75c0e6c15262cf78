"""Every word that a rewrite adds needs a reason: a good rewrite passes, and whatever is welded on to it does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conversations.domain.words import contains_key, key_of

# Old exchanges, then the one that is meant; a message about that, a good rewrite, and what was said only before.
TALKS = {
    "ferry": (
        (("Which cabins does the Aurelia have?", "The Aurelia has inside cabins and Promenade suites."),
         ("Who is the captain?", "Captain Lindqvist commands her with officer Vasarely."),
         ("Different topic: how do I rent a kayak?", "A kayak costs 12 euros an hour at the pier.")),
        "must it be booked in advance?",
        "Must a kayak be booked in advance?",
        ("Aurelia", "Lindqvist", "Vasarely", "Promenade suites", "captain", "cabins"),
    ),
    "library": (
        (("What is kept in the Hollar archive?", "The Hollar archive keeps maps by Merian and the Bohemica prints."),
         ("May I photograph them?", "Yes, without flash, in the Strahov reading room."),
         ("Something else: how do I renew my membership?", "A membership is renewed at the counter for 15 pounds.")),
        "how long is it valid then?",
        "How long is a renewed membership valid?",
        ("Hollar", "Merian", "Bohemica", "Strahov", "archive", "maps"),
    ),
    "garage": (
        (("What does a timing belt for the Corvane cost?", "For the Corvane it costs 480 euros with the Dayco kit."),
         ("And the brakes?", "Brembo discs for the Corvane cost 310 euros."),
         ("New question: where can I leave my bicycle?", "The bicycle stand is behind the gate and is locked at night.")),
        "is that stand covered?",
        "Is the bicycle stand covered?",
        ("Corvane", "Dayco", "Brembo", "timing belt", "brakes"),
    ),
}  # fmt: skip
WELDS = {
    "behind": "{stem} for {name}?",
    "in front": "Regarding {name}, {low}?",
    "in front, by a colon": "{name}: {low}?",
    "in the middle": "{first}, with {name}, {rest}?",
    "as owner": "{first} {name}'s {rest}?",
    "in capitals": "{stem} for {upper}?",
    "in the plural": "{stem} for {plural}?",
    "in small letters": "{stem} in the {lower}?",
    "two at once": "{stem} for {name} and {other}?",
}


def says(query: str, **more: Any) -> Callable[[Any], str]:
    return lambda reading: json.dumps({"query": query, "topic_shift": False, **more})


def welded(good: str, manner: str, name: str, other: str) -> str:
    stem = good.rstrip("?")
    first, rest = stem.split(" ", 1)
    return WELDS[manner].format(
        stem=stem, low=stem.lower(), first=first, rest=rest, name=name, other=other, plural=f"{name.rstrip('s')}s", upper=name.upper(), lower=name.lower()
    )  # fmt: skip


@pytest.fixture(params=TALKS)
def topic(request: pytest.FixtureRequest, talk: Any) -> Any:
    exchanges, message, good, old = TALKS[request.param]
    for asked, answer in exchanges:
        talk.say(asked, answer)
    return talk, message, good, old


def test_a_good_rewrite_passes_untouched(topic: Any) -> None:
    talk, message, good, _ = topic
    heard = talk.hear(message, says(good))
    assert (heard.query, heard.ruling.action, heard.ruling.origin) == (good, "accepted", "model")


@pytest.mark.parametrize("manner", WELDS)
def test_nothing_of_another_exchange_is_welded_on(topic: Any, manner: str) -> None:
    talk, message, good, old = topic
    for name, other in zip(old, (*old[1:], old[0]), strict=True):
        heard = talk.hear(message, says(welded(good, manner, name, other)))
        assert not any(contains_key(key_of(heard.query), key_of(n)) for n in (name, other)), name
        assert heard.ruling.verdict != "clean"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    picks=st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True),
    places=st.lists(st.integers(0, 8), min_size=3, max_size=3),
    joins=st.lists(st.sampled_from(["for", "of", "and", "with", "in the"]), min_size=3, max_size=3),
)
def test_whatever_is_welded_on_however_it_never_gets_through(
    topic: Any, picks: list[int], places: list[int], joins: list[str]
) -> None:
    talk, message, good, old = topic
    words, names = good.rstrip("?").split(), [old[pick] for pick in picks]
    for name, place, join in zip(names, places, joins, strict=False):
        words.insert(min(place, len(words)), f"{join} {name}")
    heard = talk.hear(message, says(f"{' '.join(words)}?"))
    assert not any(contains_key(key_of(heard.query), key_of(name)) for name in names)


@pytest.mark.parametrize("written", ["Aurela", "Lindquist", "Aurleia", "Vasareli", "Lindqvistt"])
def test_a_misspelt_old_name_is_that_name(talk: Any, written: str) -> None:
    exchanges, message, good, _ = TALKS["ferry"]
    for asked, answer in exchanges:
        talk.say(asked, answer)
    for name in (written, written.lower()):
        heard = talk.hear(message, says(f"{good.rstrip('?')} for {name}?"))
        assert name.lower() not in heard.query.lower()
        assert contains_key(key_of(heard.query), "kayak")


@pytest.mark.parametrize("name", ["Аурелия", "オーレリア", "أوريليا", "Lindqvіst"])
def test_a_word_in_letters_that_nobody_used_is_kept_out(topic: Any, name: str) -> None:
    talk, message, good, _ = topic
    heard = talk.hear(message, says(f"{good.rstrip('?')} for {name}?"))
    assert name not in heard.query


@pytest.mark.parametrize("name", ["Zanzibar Telecom", "Quillfeather", "Project Obsidian", "XR-900"])
def test_a_name_that_nobody_said_is_kept_out(topic: Any, name: str) -> None:
    talk, message, good, _ = topic
    heard = talk.hear(message, says(f"{good.rstrip('?')} for {name}?"))
    assert heard.ruling.verdict == "invented"
    assert name not in heard.query


@pytest.mark.parametrize(
    "statement",
    [
        "It is valid for twelve months.",
        "The membership costs 15 pounds a year",
        "Kayaks must be booked two days before.",
        "The stand has a roof, and the gate is locked.",
    ],
)
def test_an_answer_is_no_query(topic: Any, statement: str) -> None:
    talk, message, _, _ = topic
    heard = talk.hear(message, says(statement))
    assert heard.ruling.origin == "offline"
    assert heard.query.startswith(message.rstrip("?"))


def test_the_question_before_is_not_asked_once_more(topic: Any) -> None:
    talk, message, _, _ = topic
    for exchange in talk.state.exchanges:
        heard = talk.hear(message, says(exchange.query))
        assert (heard.ruling.action, heard.ruling.origin) == ("fell_back", "offline"), exchange.query


@pytest.mark.parametrize("told", ["Within", "pounds", "euros"])
def test_a_reference_that_is_left_standing_is_resolved_by_the_rules(topic: Any, told: str) -> None:
    talk, message, _, _ = topic
    heard = talk.hear(message, says(f"{message.rstrip('?')} for {told}?"))
    assert (heard.query, heard.ruling.origin) == (talk.hear(message).query, "offline")


@pytest.mark.parametrize(
    ("question", "answer", "reply", "good", "others"),
    [
        ("What does parking cost?", "Do you mean the harbour, the station or the airport?", "the station",
         "What does parking at the station cost?", ("harbour", "airport")),
        ("How long does delivery take?", "There are two ways, Express and Overland. Which of the two?", "Overland.",
         "How long does Overland delivery take?", ("Express",)),
        ("What do I get?", "Are you Bronze, Silver or Gold?", "silver", "What do Silver members get?", ("Bronze", "Gold")),
    ],
)  # fmt: skip
def test_alternatives_that_were_not_chosen_stay_out(
    talk: Any, question: str, answer: str, reply: str, good: str, others: tuple[str, ...]
) -> None:
    talk.say(question, answer)
    assert talk.hear(reply, says(good)).query == good
    for name in others:
        heard = talk.hear(reply, says(f"{good.rstrip('?')} for {name}?"))
        assert not contains_key(key_of(heard.query).replace(key_of(question), ""), key_of(name))


def test_entries_that_were_not_picked_stay_out(talk: Any) -> None:
    talk.say("Which berths are there?", "There are three:\n1. Mistral\n2. Levante\n3. Poniente")
    good = "What does the Levante berth cost?"
    assert talk.hear("what does the second one cost?", says(good)).query == good
    for name in ("Mistral", "Poniente"):
        heard = talk.hear(
            "what does the second one cost?", says(f"What does the Levante berth cost for {name}?")
        )
        assert name not in heard.query


@pytest.mark.parametrize(
    ("question", "answer", "message", "good"),
    [
        ("Which of the two routes is shorter?", "1. Coast road\n2. Old mule track", "how steep is the second?",
         "What is the gradient of the old mule track?"),
        ("Who repairs shoes?", "The Bench repairs shoes and bags.", "revisiting shoes. are heels done there",
         "Are heels done for shoes?"),
        ("Do you send to Norway?", "Yes, for 149 kroner.", "and to switzerland?", "What does delivery to Switzerland cost?"),
    ],
)  # fmt: skip
def test_a_model_that_resolves_in_its_own_words_is_believed(
    talk: Any, question: str, answer: str, message: str, good: str
) -> None:
    talk.say(question, answer)
    assert talk.hear(message, says(good)).query == good
