"""Descriptions, places in a list, things of a kind and corrected names find what they mean, in any conversation."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.words import contains_key, key_of


def holds(query: str, words: str) -> bool:
    return contains_key(key_of(query), key_of(words))


TOOLS = (
    ("How heavy is the Bramley steamer?", "It comes in a case of 12 kg with two hoses."),
    ("How often do you audit suppliers?", "Every second year, by an outside firm."),
    ("When is the paint shop open?", "From 08:00 to 16:00 on weekdays."),
)


@pytest.mark.parametrize(
    "message",
    [
        "is there a wait for that heavy case at the moment",
        "Can I rent the hoses by the day?",
        "what does one pay for those hoses",
    ],
)
def test_a_described_thing_is_sought_where_it_was_spoken_of(talk: Any, message: str) -> None:
    for asked, answer in TOOLS:
        talk.say(asked, answer)
    heard = talk.hear(message)
    assert heard.scope.antecedent.turn == 1
    assert not holds(heard.query, "paint shop") and not holds(heard.query, "suppliers")


def test_a_noun_before_another_noun_is_not_the_place_that_is_meant(talk: Any) -> None:
    talk.say(
        "What is special about the Harrow range?", "It is made for hotels: steel frames, washable covers."
    )
    talk.say("Where is the shop in Norwich?", "The Norwich shop is on Elm Hill.")
    heard = talk.hear("what does a rush order of chairs in that hotel range cost?")
    assert heard.scope.antecedent.turn == 1
    assert not holds(heard.query, "Norwich")


@pytest.mark.parametrize(
    ("message", "entry"),
    [
        ("Who runs the one before last?", "Ferry Lane"),
        ("is there parking at the last but one", "Ferry Lane"),
        ("who manages the second-to-last one", "Ferry Lane"),
        ("Does the bottom one open on Sundays?", "Mill Road"),
        ("what about the top one, does it have a cafe?", "Quayside"),
        ("who manages the third one", "Ferry Lane"),
    ],
)
def test_a_place_in_a_list_may_be_told_from_its_end(talk: Any, message: str, entry: str) -> None:
    talk.say(
        "where are your shops, I come from a small farm",
        "Four shops:\n1. Quayside\n2. Old Exchange\n3. Ferry Lane\n4. Mill Road",
    )
    heard = talk.hear(message)
    assert holds(heard.query, entry)
    assert not holds(heard.query, "farm")


@pytest.mark.parametrize(
    ("asked", "message", "query"),
    [
        ("what does a Fast volume cost", "how about an Extreme one", "what does an Extreme volume cost"),
        ("What does the Silver tariff include?", "I meant Gold.", "What does the Gold tariff include?"),
        ("What do the Plus and the fees cost on the Silver tariff?", "no, not Silver. I wanted Gold", None),
    ],
)
def test_what_takes_the_place_of_a_thing_takes_its_kind_along(
    talk: Any, asked: str, message: str, query: str | None
) -> None:
    talk.say(asked, "The Silver tariff is in the list.")
    heard = talk.hear(message)
    if query is not None:
        assert heard.query == query
    assert not holds(heard.query, "Silver") and not holds(heard.query, "Fast")


def test_the_kind_that_was_wrong_is_not_what_is_meant_instead(talk: Any) -> None:
    talk.say("what is the margin floor for furniture", "42 percent.")
    heard = talk.hear("wrong department, I wanted electronics")
    assert heard.query == "what is the margin floor for electronics"


def test_a_question_whether_there_are_any_is_a_question_of_its_own(talk: Any) -> None:
    talk.say("is your wood sustainable", "94 percent of the wood is certified.")
    talk.say("and the electricity?", "All stores run on renewable electricity.")
    assert not holds(talk.hear("Any workshops this summer?").query, "electricity")


@pytest.mark.parametrize(
    ("asked", "answer", "message", "query"),
    [
        (
            "How long can I return a lamp?",
            "Lamps can be returned within 30 days.",
            "sorry, I meant a rug",
            "How long can I return a rug?",
        ),
        (
            "How much is shipping to Oslo?",
            "Shipping to Norway costs 149 kroner.",
            "Bergen then?",
            "How much is shipping to Bergen?",
        ),
        (
            "Which discount do I get on furniture as staff?",
            "15 percent on furniture.",
            "on electronics I mean",
            "Which discount do I get on electronics as staff?",
        ),
        (
            "how much for a chair leg?",
            "A chair leg is 12 pounds.",
            "no, I meant a table top",
            "how much for a table top?",
        ),
        (
            "How long does a passport take?",
            "Six weeks.",
            "I meant a driving licence",
            "How long does a driving licence take?",
        ),
    ],
)
def test_a_thing_put_in_the_place_of_another_asks_the_same_of_it(
    talk: Any, asked: str, answer: str, message: str, query: str
) -> None:
    talk.say(asked, answer)
    assert talk.hear(message).query == query


@pytest.mark.parametrize(
    ("asked", "answer", "elsewhere", "message", "called", "left_out"),
    [
        (
            "How could we bring the archive over?",
            "There are two ways:\n1. Glide, over your line\n2. The Ferry Box, a case that holds 80 TB",
            "What does a licence cost?",
            "and how long may we keep that case at our site?",
            "Ferry Box",
            "licence",
        ),
        (
            "Who helps newcomers at the guild?",
            "Newcomers are met by Tilda Brook. The Welcome Desk is a counter in the west hall.",
            "When do dues fall due?",
            "until what hour is that counter staffed?",
            "Welcome Desk",
            "dues",
        ),
        (
            "How do divers signal?",
            "With the Marlin (a whistle for two tones), heard for a mile.",
            "How are tanks filled?",
            "what does the whistle weigh?",
            "Marlin",
            "tanks",
        ),
    ],
)
def test_what_an_answer_called_so_is_meant_by_its_name(
    talk: Any, asked: str, answer: str, elsewhere: str, message: str, called: str, left_out: str
) -> None:
    talk.say(asked, answer)
    talk.say(elsewhere, "That is known.")
    query = talk.hear(message).query
    assert contains_key(key_of(query), key_of(called))
    assert not contains_key(key_of(query), key_of(left_out))


def test_a_thing_that_stands_beside_such_a_one_is_not_called_so(talk: Any) -> None:
    talk.say("How do we bring the archive over?", "Glide runs over your line and needs a case of cables.")
    query = talk.hear("how heavy is the case?").query
    assert not query.startswith("how heavy is the case? Glide")


@pytest.mark.parametrize(
    ("opened", "answer", "claim"),
    [
        ("Which keys are there?", "Platform keys.", "you mentioned project Aurora, what does it cost?"),
        ("When does the ferry leave?", "At seven.", "you talked about the Osprey pass, is it refundable?"),
    ],
)
def test_what_nobody_said_is_looked_for_by_its_own_name(
    talk: Any, opened: str, answer: str, claim: str
) -> None:
    talk.say(opened, answer)
    assert talk.hear(claim).query == claim


def test_what_was_said_is_still_meant_when_it_is_recalled(talk: Any) -> None:
    talk.say("Which passes are there?", "There is the Osprey pass for the ferry.")
    talk.say("Who mends lamps?", "The bench.")
    heard = talk.hear("you mentioned the Osprey pass, is it refundable?")
    assert heard.scope.antecedent is not None
    assert heard.scope.antecedent.turn == 1


def test_a_correction_of_one_of_two_things_is_left_to_what_it_is_like(talk: Any) -> None:
    talk.say("what is the delivery fee for a sofa?", "Nine pounds.")
    heard = talk.hear("sorry, I meant a gift card")
    assert holds(heard.query, "gift card") and holds(heard.query, "delivery fee")


@pytest.mark.parametrize(
    ("begun", "answer", "message"),
    [
        (
            "What is this list of unused badges I got?",
            "That is the yearly review of who may open which door.",
            "could we get that list twice a year?",
        ),
        (
            "Which form do I need to borrow a projector?",
            "The pink slip from the porter's desk.",
            "who has to sign that form?",
        ),
        (
            "I want to see last year's report on moorings.",
            "It was published in March by the harbour office.",
            "may we quote from that report?",
        ),
    ],
)
def test_a_word_of_a_general_kind_means_what_the_user_called_so(
    talk: Any, begun: str, answer: str, message: str
) -> None:
    talk.say(begun, answer)
    talk.say("How long does the three-year lease bind us?", "A lease cannot be ended early.")
    talk.say("What do we save with a lease of one year?", "A lease of one year saves 18 %.")
    heard = talk.hear(message)
    assert heard.scope.antecedent.turn == 1
    assert not holds(heard.query, "lease")


@pytest.mark.parametrize(
    "message",
    [
        "when do we get the full report for one of these",
        "who is told about one of those first?",
    ],
)
def test_one_of_these_is_any_of_them_and_no_choice_from_a_list(talk: Any, message: str) -> None:
    talk.say("What counts as a grave accident?", "One after which somebody is taken to hospital.")
    talk.say("Which boats can we hire?", "These:\n1. Kayak\n2. Dinghy\n3. Punt")
    talk.say("How often do you report during a grave accident?", "Every hour until it is over.")
    heard = talk.hear(message)
    assert not any(holds(heard.query, word) for word in ("boats", "Kayak", "Dinghy", "Punt"))


def test_one_of_those_is_still_chosen_where_the_message_chooses(talk: Any) -> None:
    talk.say("Which boats can we hire?", "These:\n1. Kayak\n2. Dinghy\n3. Punt")
    talk.say("When does the boathouse close?", "At nine in the evening.")
    assert talk.hear("is one of those fit for children?").scope.antecedent.turn == 1
