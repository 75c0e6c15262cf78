"""Whole conversations: what is searched for, turn by turn. The kinds that users of comparable products report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conversations.domain.liveness import Slot, Status
from conversations.domain.resolve import fuller_names
from conversations.domain.words import contains_key, key_of


def has(query: str, *names: str) -> bool:
    return all(contains_key(key_of(query), key_of(name)) for name in names)


def lacks(query: str, *names: str) -> bool:
    return not any(contains_key(key_of(query), key_of(name)) for name in names)


def test_it_asks_for_the_price_of_what_was_spoken_of(talk: Any) -> None:
    talk.say(
        "Describe the architecture of Atlas Gateway",
        "Atlas Gateway has an ingress, a router and a policy engine.",
    )
    heard = talk.hear("And the price?")
    assert heard.kind == "follow_up"
    assert has(heard.query, "price", "Atlas Gateway")


@pytest.mark.parametrize(
    "message", ["He was born where?", "Where did he study?", "what are his books about?"]
)
def test_it_knows_who_he_is(talk: Any, message: str) -> None:
    talk.say("Who was Andre Gunder Frank?", "Andre Gunder Frank was an economist of dependency theory.")
    assert has(talk.hear(message).query, "Andre Gunder Frank")


@pytest.mark.parametrize("reply", ["yes", "Yes please", "sure, go ahead", "ok"])
def test_it_searches_for_what_the_assistant_offered(talk: Any, reply: str) -> None:
    talk.say("Can I return a gift card?", "No. Would you like to know more about refund rules?")
    heard = talk.hear(reply)
    assert heard.kind == "answer_to_question"
    assert has(heard.query, "refund rules")
    assert lacks(heard.query, "yes", "sure")


def test_it_searches_for_nothing_when_an_offer_is_declined(talk: Any) -> None:
    talk.say("Can I return a gift card?", "No. Would you like to know more about refund rules?")
    assert talk.hear("no thanks").kind == "small_talk"


def test_it_fills_the_question_that_the_assistant_asked(talk: Any) -> None:
    talk.say("Show me the invoice total", "Which month do you want?")
    heard = talk.hear("March")
    assert heard.kind == "answer_to_question"
    assert has(heard.query, "invoice total", "March")


def test_it_takes_a_question_for_a_question_even_after_a_question(talk: Any) -> None:
    talk.say("Show me the invoice total", "Which month do you want?")
    assert talk.hear("What is the warranty on laptops?").kind != "answer_to_question"


@pytest.mark.parametrize(
    "message",
    [
        "ราคาของแพ็กเกจธุรกิจเท่าไร",
        "Wie lange kann ich Schuhe zurückgeben?",
        "¿Cuánto cuesta el plan de empresa?",
        "Combien coûte la livraison pour la Norvège ?",
        "企业版多少钱?",
        "Сколько стоит доставка?",
        "كم سعر الخطة؟",
    ],
)
def test_it_passes_other_languages_unchanged(cloud: Any, message: str) -> None:
    heard = cloud.hear(message)
    assert (heard.query, heard.kind) == (message, "standalone")


@pytest.mark.parametrize(
    "message",
    [
        "How are you today?",
        "thanks!",
        "Thank you so much for the help",
        "hello",
        "ok great",
        "bye",
        "🙂🙂",
        "?",
    ],
)
def test_it_knows_small_talk(cloud: Any, message: str) -> None:
    heard = cloud.hear(message)
    assert (heard.kind, heard.query) == ("small_talk", message)


def test_it_follows_from_one_role_to_the_next_and_hears_the_correction(talk: Any) -> None:
    talk.say("What does the reviewer role allow?", "The reviewer role allows reading and commenting.")
    assert (
        talk.say("what about the approver role ?", "Approvers approve.").query
        == "What does the approver role allow?"
    )
    heard = talk.hear("no, those are the old roles, I mean the new ones")
    assert heard.kind == "correction"
    assert has(heard.query, "new", "role")


def test_it_takes_messages_sent_in_a_row_for_one_thought(talk: Any) -> None:
    heard = talk.say("I bought a lamp last week.\nIt is broken.\nCan I return it?", "Yes, within 30 days.")
    assert heard.kind == "opening"
    assert has(heard.query, "lamp", "broken", "return")


def test_it_finds_a_first_topic_again_after_three_others(talk: Any) -> None:
    talk.say("How long is the warranty on laptops?", "Laptops have a warranty of two years.")
    talk.say("new topic: do you ship sofas to Norway?", "Yes, sofas are shipped to Norway.")
    talk.say("How much is that?", "It costs 90 euros.")
    talk.say("different question: which gift cards exist?", "There are paper and digital gift cards.")
    heard = talk.hear("back to the laptops, what voids the warranty?")
    assert heard.kind == "topic_return"
    assert heard.scope.antecedent is not None
    assert heard.scope.antecedent.turn == 1
    assert lacks(heard.query, "Norway", "sofas", "gift cards")


def test_it_is_not_spoiled_by_a_question_that_nothing_answered(talk: Any) -> None:
    talk.say("Who is the best football player?", "I found nothing about that in the documents.")
    heard = talk.hear("Which payment methods do you accept?")
    assert heard.query == "Which payment methods do you accept?"


def test_it_asks_about_the_company_and_not_the_long_task(talk: Any) -> None:
    talk.say(
        "Draft an onboarding checklist for the billing export API", "Step 1: create a key. Step 2: call it."
    )
    talk.say("Add a section on retries", "Retries use exponential backoff.")
    talk.say("Make it shorter", "Create a key, call it, retry.")
    heard = talk.hear("What's the company size?")
    assert lacks(heard.query, "billing", "API", "retries", "checklist")


def test_it_does_not_fill_a_later_topic_with_an_earlier_one(cloud: Any) -> None:
    heard = cloud.hear("do they have to be unworn?")
    assert has(heard.query, "shoes")
    assert lacks(heard.query, "RPO", "Dublin", "Frankfurt", "keys")


def test_it_swaps_the_place_and_closes_the_old_one(cloud: Any) -> None:
    assert cloud.status("Frankfurt") == "superseded"
    assert cloud.slot("Frankfurt").superseded_by == cloud.slot("Dublin").id


def test_it_goes_back_to_a_place_by_name(cloud: Any) -> None:
    heard = cloud.say("go back to what you said about Dublin", "The RPO in Dublin is 30 minutes.")
    assert (heard.kind, heard.scope.antecedent.turn) == ("topic_return", 2)
    assert lacks(heard.query, "shoes", "Frankfurt")
    assert has(cloud.hear("and the RTO there?").query, "RTO", "Dublin")


def test_it_goes_back_to_a_closed_place_by_name_in_a_new_slot(cloud: Any) -> None:
    old = cloud.slot("Frankfurt")
    heard = cloud.say("go back to what you said about Frankfurt", "15 minutes.")
    assert heard.scope.antecedent.turn == 1
    new = cloud.slot("Frankfurt")
    assert (new.recalls, new.status.value, new.type) == (old.id, "live", "place")


def test_it_never_brings_a_superseded_place_back_by_a_pronoun(cloud: Any) -> None:
    cloud.say("go back to what you said about Dublin", "In Dublin the RPO is 30 minutes.")
    for message in ("is it guaranteed?", "what else is there?", "how was that measured?"):
        assert lacks(cloud.hear(message).query, "Frankfurt")


@pytest.mark.parametrize("message", ["Compare Frankfurt and Dublin", "Frankfurt or Dublin, which is better?"])
def test_it_keeps_compared_places_alive_together(talk: Any, message: str) -> None:
    talk.say(message, "Both are fine.")
    assert (talk.status("Frankfurt"), talk.status("Dublin")) == ("live", "live")
    assert has(talk.hear("which one is cheaper?").query, "Frankfurt", "Dublin")


def test_it_picks_from_a_list_that_the_assistant_gave(talk: Any) -> None:
    talk.say(
        "Which payment methods exist?", "We accept: 1. Credit cards 2. PayPal 3. Gift cards 4. Bank transfer"
    )
    heard = talk.say("tell me more about the third one", "Gift cards are valid for three years.")
    assert has(heard.query, "Gift cards")
    assert lacks(heard.query, "PayPal", "Credit cards", "Bank transfer")
    assert talk.status("Gift cards") == "live"
    assert has(talk.hear("do they expire?").query, "Gift cards")


def test_it_picks_the_last_of_an_enumeration(talk: Any) -> None:
    talk.say("Which plans are there?", "The plans are Basic, Business, and Enterprise.")
    assert has(talk.hear("what does the last one cost?").query, "Enterprise")


def test_it_corrects_the_country(talk: Any) -> None:
    talk.say("How long does delivery to Norway take?", "Five days.")
    heard = talk.say("sorry, I meant Sweden", "Three days.")
    assert heard.query == "How long does delivery to Sweden take?"
    assert talk.status("Norway") == "superseded"


def test_it_leaves_a_stated_change_of_subject_alone(cloud: Any) -> None:
    heard = cloud.hear("unrelated, but do you sell gift cards?")
    assert (heard.kind, heard.query) == ("topic_shift", "do you sell gift cards?")
    assert heard.scope.empty


def test_it_carries_the_subject_over_a_by_the_way(cloud: Any) -> None:
    heard = cloud.hear("by the way, is it free?")
    assert heard.kind == "partial_shift"
    assert has(heard.query, "shoes")


def test_it_shows_people_a_readable_version(talk: Any) -> None:
    talk.say("Who founded the company?", "The company was founded by Maria Jensen.")
    assert talk.hear("Where did she study?").ruling.display == "Where did Maria Jensen study?"


def test_it_takes_it_for_what_the_talk_has_come_to(talk: Any) -> None:
    talk.say(
        "Which grants does the council have for boats?",
        "The council has a mooring grant and a hull grant for boats in the harbour.",
    )
    talk.say(
        "What are the conditions of the grant for the hull you mentioned?",
        "The hull grant has two conditions.",
    )
    heard = talk.hear("Does it also hold for boats in the harbour?")
    assert heard.scope.antecedent.turn == 2
    assert contains_key(key_of(heard.query), "condition")


def test_it_calls_a_thing_by_the_whole_name_that_the_answer_gave_it(talk: Any) -> None:
    talk.say(
        "Who decides about the allowance?",
        "The personnel office decides with the works council. The personnel office and the works council meet in the "
        "meeting hall. The travel allowance is paid with the salary.",
    )
    assert contains_key(key_of(talk.hear("Is it taxed?").query), "travel allowance")


def test_it_adds_no_whole_name_where_the_answer_told_several_kinds(talk: Any) -> None:
    talk.say("Who decides about the allowance?", "There is a travel allowance and a meal allowance.")
    exchange = talk.state.exchanges[-1]
    assert fuller_names(exchange) == ()


def test_it_asks_a_first_question_again_and_not_its_answer(talk: Any) -> None:
    talk.say(
        "We run a kiosk with three stools. Does the Night Noise Order apply to us?",
        "The Order does not apply to fairs. Street musicians need a permit.",
    )
    for message in ("Where is the library?", "When does it open?", "Who runs it?", "Is there a lift?"):
        talk.say(message, "In the old town.")
    heard = talk.hear("Back to my first question: is a place of our size really caught by these rules?")
    assert "Night Noise Order" in heard.query
    assert "musician" not in heard.query


def test_it_sums_up_what_the_last_turn_was_about(talk: Any) -> None:
    talk.say("Does the Night Noise Order apply to kiosks?", "It applies to all open counters.")
    talk.say("Is a small one really caught by it?", "Yes, from one stool on.")
    heard = talk.hear("Thanks. Can you summarise what applies to us?")
    assert heard.scope.antecedent.turn == 2
    assert "Night Noise Order" in heard.query


def test_part_of_an_open_name_is_not_closed_with_a_thing_of_that_name(talk: Any) -> None:
    talk.say("Does the Night Noise Order apply to kiosks?", "The Order applies to open counters.")
    order = Slot("s99", "topic", "Order", Status.EVICTED, 1, 1)
    talk.state = replace(talk.state, slots=(*talk.state.slots, order))
    assert "Night Noise Order" in talk.hear("Is it strict?").query
