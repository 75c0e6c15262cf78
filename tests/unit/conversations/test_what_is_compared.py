"""A question that compares means all its sides, though one of them was put in the place of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from conversations.domain.comparing import compares
from conversations.domain.liveness import Horizons
from conversations.domain.reading import Reading
from conversations.domain.words import contains_key, key_of

Said = list[tuple[str, str]]

TARIFFS: Said = [
    ("Tell me about the Silver tariff", "The Silver tariff costs 12 euros and includes one driver."),
    ("and Gold?", "The Gold tariff costs 20 euros and includes two drivers."),
]
COUNTRIES: Said = [("How long is delivery to Norway?", "Five days."), ("and to Ireland?", "Three days.")]
DRUGS: Said = [("tell me about ibuprofen", "It eases pain."), ("and paracetamol?", "It lowers fever.")]
TENTS: Said = [
    ("Do you sell the Kestrel tent?", "Yes, it sleeps two."),
    ("tell me about the Osprey tent", "It sleeps four."),
]
REGIONS: Said = [("What is the RPO in Dublin?", "One hour."), ("and in Frankfurt?", "Six hours.")]
STAFF: Said = [
    ("How many holidays do part-time staff get?", "15 days."),
    ("and full-time staff?", "28 days."),
]
SHIPPING: Said = [
    ("do you ship to Norway", "Yes, in 5 days."),
    ("what about Sweden", "Yes, in 4 days."),
    ("and Denmark?", "Yes, in 3 days."),
]
CITIES: Said = [("we are thinking of Vienna or Prague for the offsite", "Both have offices.")]
PLANS: Said = [("should I take the Business or the Enterprise plan?", "That depends on your team.")]
SPEEDS: Said = [("Which is faster: express or standard delivery?", "Express takes a day.")]
CHOICE: Said = [("premium or basic?", "Premium has more.")]
POST: Said = [("how much is next day delivery", "9 pounds."), ("i mean same day", "15 pounds.")]
SOFAS: Said = [("what colours does the Fjord sofa have", "Grey."), ("is it cheaper than the Lund?", "Yes.")]
ASIDE: Said = [
    ("What is the limit of the Reporting API?", "100 a minute."),
    ("hmm, interesting", "Is it?"),
    ("and the Billing API?", "60 a minute."),
]
TRAMS: Said = [("how does the bus compare with the tram?", "It is slower.")]
NORTH: Said = [("Do you deliver to Norway or Sweden?", "To both."), ("and Denmark?", "Yes.")]
PHONES: Said = [("do you have phone 15 cases", "Yes."), ("and phone 14?", "Yes.")]
REPAIRS: Said = [("how do i reset the router", "Hold the button."), ("and the modem?", "Unplug it.")]

COMPARED: dict[str, tuple[Said, str, str]] = {
    "which is better": (TARIFFS, "which is better?", "Silver tariff, Gold tariff"),
    "which one is cheaper": (TARIFFS, "so which one is cheaper?", "Silver tariff, Gold tariff"),
    "the difference": (COUNTRIES, "what's the difference?", "Norway, Ireland, delivery"),
    "without an apostrophe": (COUNTRIES, "whats the difference", "Norway, Ireland"),
    "a quality of its own": (DRUGS, "which one is safer for children?", "ibuprofen, paracetamol, children"),
    "between them": (DRUGS, "what's the difference between them?", "ibuprofen, paracetamol"),
    "two whole questions": (TENTS, "which is lighter?", "Kestrel tent, Osprey tent"),
    "both": (TENTS, "are they both waterproof?", "Kestrel tent, Osprey tent, waterproof"),
    "either": (TENTS, "does either come with a bag?", "Kestrel, Osprey, bag"),
    "which has": (REGIONS, "which has the lower latency?", "Dublin, Frankfurt, latency"),
    "how they compare": (STAFF, "how do they compare?", "part-time staff, full-time staff, holidays"),
    "compare them": (REPAIRS, "compare the two", "router, modem"),
    "which should I": (REPAIRS, "and which should I do first?", "router, modem"),
    "three": (SHIPPING, "which is the fastest?", "Norway, Sweden, Denmark"),
    "joined in one message": (CITIES, "which one has more rooms?", "Vienna, Prague"),
    "one noun for two names": (PLANS, "which is cheaper?", "Business plan, Enterprise plan"),
    "one noun for two qualities": (SPEEDS, "how much are both?", "express delivery, standard delivery"),
    "a participle": (REPAIRS, "which is done faster?", "router, modem"),
    "what with a comparative": (DRUGS, "what's cheaper?", "ibuprofen, paracetamol"),
    "who with a comparative": (STAFF, "so who gets more?", "part-time staff, full-time staff"),
    "why": (STAFF, "why the difference?", "part-time staff, full-time staff, holidays"),
    "nothing but a choice": (CHOICE, "which has more storage", "premium, basic, storage"),
    "a word that compares": (TRAMS, "which takes longer?", "bus, tram"),
    "a choice and one more": (NORTH, "which is the fastest of the three?", "Norway, Sweden, Denmark"),
    "two words that differ in one": (POST, "which is quicker?", "next day delivery, same day delivery"),
    "it and another": (SOFAS, "which one is more comfortable?", "Fjord sofa, Lund"),
    "with a remark between": (ASIDE, "which one is higher?", "Reporting API, Billing API"),
    "two numbers": (PHONES, "which is cheaper", "phone 15, phone 14"),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARED)
def test_a_comparison_searches_for_all_its_sides(talk: Any, name: str) -> None:
    said, message, wanted = COMPARED[name]
    for question, answer in said:
        talk.say(question, answer)
    query = key_of(talk.hear(message).query)
    assert [w for w in wanted.split(", ") if not contains_key(query, key_of(w))] == [], query


@pytest.mark.parametrize(
    ("message", "asks_for_the_range"),
    [("which is lower?", True), ("which is bigger?", True), ("which is heavier?", False)],
)
def test_it_keeps_what_was_asked_where_the_message_says_no_other(
    talk: Any, message: str, asks_for_the_range: bool
) -> None:
    talk.say("What is the range of the Nova scooter?", "30 km.")
    talk.say("What is the range of the Luna scooter?", "40 km.")
    assert ("range" in talk.hear(message).query) is asks_for_the_range


def test_a_second_comparison_has_the_same_sides(talk: Any) -> None:
    for question, answer in TARIFFS:
        talk.say(question, answer)
    talk.say("which is better?", "That depends.")
    talk.say("which one is cheaper?", "Silver.")
    query = talk.hear("and what's the difference?").query
    assert "Silver" in query and "Gold" in query


def test_a_side_that_had_given_way_is_meant_again(talk: Any) -> None:
    for question, answer in COUNTRIES:
        talk.say(question, answer)
    assert talk.status("Norway") == "superseded"
    heard = talk.say("which is faster?", "Ireland.")
    assert heard.ruling.verdict.value == "clean"
    assert (talk.status("Norway"), talk.status("Ireland")) == ("live", "live")
    assert talk.slot("Norway").recalls is not None


def test_a_model_may_name_both_sides(talk: Any) -> None:
    for question, answer in COUNTRIES:
        talk.say(question, answer)
    reply = '{"query": "Is delivery to Norway or to Ireland faster?", "kind": "follow_up", "topic_shift": false, "entities": [], "refers_to": []}'
    heard = talk.hear("which is faster?", model=lambda reading: reply)
    assert heard.query == "Is delivery to Norway or to Ireland faster?"


@pytest.mark.parametrize(
    ("said", "message", "display"),
    [
        (COUNTRIES, "what's the difference?", "what's the difference between Norway and Ireland? (delivery)"),
        (TARIFFS, "which is better?", "which is better: Silver tariff or Gold tariff?"),
        (SHIPPING, "which is the fastest?", "which is the fastest: Norway, Sweden or Denmark?"),
        (DRUGS, "compare them", "compare ibuprofen and paracetamol"),
        (STAFF, "how do they compare?", "how do part-time staff and full-time staff compare? (holidays)"),
        (TENTS, "is either waterproof?", "is either waterproof? (Kestrel tent, Osprey tent)"),
    ],
)
def test_it_is_shown_as_a_person_would_ask_it(talk: Any, said: Said, message: str, display: str) -> None:
    for question, answer in said:
        talk.say(question, answer)
    assert talk.hear(message).ruling.display == display


def test_what_was_asked_by_mistake_is_compared_when_it_is_all_there_is(talk: Any) -> None:
    talk.say("What is the price of the Gold tariff?", "20 euros.")
    talk.say("sorry, I meant Silver", "12 euros.")
    query = talk.hear("which one is cheaper?").query
    assert "Gold" in query and "Silver" in query


def test_a_side_that_was_put_right_stays_a_side(talk: Any) -> None:
    for question, answer in COUNTRIES:
        talk.say(question, answer)
    talk.say("which is faster?", "Ireland.")
    talk.say("sorry, I meant Denmark, not Ireland", "Denmark.")
    query = talk.hear("which one is cheaper?").query
    assert "Norway" in query and "Denmark" in query and "Ireland" not in query


def test_a_month_is_no_side_of_two_islands(talk: Any) -> None:
    talk.say("Which is warmer in May, Crete or Malta?", "Malta.")
    assert [side.text for side in talk.hear("and cheaper?").scope.compared.sides] == ["Crete", "Malta"]


def test_what_was_left_is_no_side(talk: Any) -> None:
    for question, answer in COUNTRIES:
        talk.say(question, answer)
    talk.say("By the way, do you sell gift cards?", "Yes, in every shop.")
    assert "Norway" not in talk.hear("which is better?").query


def test_another_aspect_of_the_same_thing_is_no_side(talk: Any) -> None:
    talk.say("What is the price of the Gold tariff?", "20 euros.")
    talk.say("and the notice period?", "One month.")
    assert not talk.hear("which is better?").scope.compared


def test_an_entry_of_a_comparison_is_picked_by_its_place(talk: Any) -> None:
    for question, answer in COUNTRIES:
        talk.say(question, answer)
    talk.say("which is faster?", "Ireland.")
    query = talk.hear("how much is the first one?").query
    assert "Norway" in query and "Ireland" not in query


def test_an_entry_of_a_choice_is_picked_by_its_place(talk: Any) -> None:
    talk.say("should I take the Business or the Enterprise plan?", "That depends on your team.")
    query = talk.hear("how many seats does the second one have?").query
    assert "Enterprise" in query and "Business" not in query


def test_one_more_thing_is_asked_alone_in_the_place_of_a_choice(talk: Any) -> None:
    talk.say("Do you deliver to Norway or Sweden?", "To both.")
    assert talk.hear("and Denmark?").query == "Do you deliver to Denmark?"


def test_both_of_three_are_the_last_two(talk: Any) -> None:
    for question, answer in SHIPPING:
        talk.say(question, answer)
    query = talk.hear("do both need a form?").query
    assert "Norway" not in query and "Sweden" in query and "Denmark" in query


def test_what_was_left_in_silence_for_long_is_no_side(talk: Any) -> None:
    talk.policy = replace(talk.policy, horizons=Horizons(stale_after=1, evict_after=2))
    for question, answer in COUNTRIES:
        talk.say(question, answer)
    talk.say("thanks", "You are welcome.")
    talk.say("great", "Indeed.")
    assert not talk.hear("which is better?").scope.compared


def test_another_thing_after_the_same_noun_takes_the_place_of_the_first(talk: Any) -> None:
    talk.say("how much is delivery of a bed", "40 pounds.")
    assert "bed" not in talk.hear("delivery of a wardrobe").query


@pytest.mark.parametrize(
    "message",
    [
        "which is better?",
        "which one?",
        "so which should I take?",
        "which of the two lasts longer?",
        "Which has free breakfast?",
        "what's the difference in price?",
        "is there any difference between them?",
        "are they the same?",
        "do both need a passport?",
        "how are they different?",
        "compare",
    ],
)
def test_it_hears_a_comparison_of_what_was_said(message: str, read: Callable[[str], Reading]) -> None:
    assert compares(read(message))


@pytest.mark.parametrize(
    "message",
    [
        "which is better, Vienna or Prague?",
        "What's the difference between a visa and a passport?",
        "which is the best way to pay?",
        "Which payment methods do you take?",
        "which number do I call?",
        "what's the second one?",
        "how do I pay the difference from last year?",
        "is it better than Silver?",
        "which branch is open on Sunday?",
        "I don't like that either",
        "can both of my children come?",
        "what's the number?",
        "who is under cover?",
        "what is other?",
    ],
)
def test_it_hears_a_question_that_names_its_own(message: str, read: Callable[[str], Reading]) -> None:
    assert not compares(read(message))
