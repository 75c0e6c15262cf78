"""An ellipsis changes one thing of the last question, and only for its like: a measure for a measure, a place for a place."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.amounts import amounts
from conversations.domain.corrections import is_correction
from conversations.domain.words import contains_key, key_of

# The last question, the message, and the question that is searched.
ASPECTS = {
    "an acronym for an acronym": ("What is the RPO in Dublin?", "And RTO?", "What is the RTO in Dublin?"),
    "an acronym for what was asked": ("What is the population of Spain?", "and GDP?", "What is the GDP of Spain?"),
    "never for a product": ("How many GPUs does the L4 node have?", "and RAM?", "How many RAM does the L4 node have?"),
    "an attribute of several words": (
        "What's the price of the Gold tariff?",
        "and the notice period?",
        "What's the notice period of the Gold tariff?",
    ),
    "an attribute of a thing in a place": (
        "how much is the deposit for a van in Porto",
        "and the mileage limit?",
        "what is the mileage limit for a van in Porto",
    ),
    "an attribute after who": (
        "Who is the manager of the Leeds branch?",
        "and the phone number?",
        "What is the phone number of the Leeds branch?",
    ),
    "an acronym of something": ("What is the SLA of Premium in Asia?", "And SLO?", "What is the SLO of Premium in Asia?"),
    "a plural": (
        "what's the dosage of ibuprofen for children",
        "and the side effects?",
        "what's the side effects of ibuprofen for children",
    ),
}  # fmt: skip
THINGS = {
    "a place": ("What is the RPO in Dublin?", "And Frankfurt?", "What is the RPO in Frankfurt?"),
    "a place in small letters": ("What is the RPO in Dublin?", "and madrid?", "What is the RPO in madrid?"),
    "a country": ("What is the VAT in Spain?", "And Portugal?", "What is the VAT in Portugal?"),
    "a name that begins a noun phrase": (
        "What's the price of the Gold tariff?",
        "and Silver?",
        "What's the price of the Silver tariff?",
    ),
    "a name that looks like a person's": (
        "When does the Leeds branch open on Sunday?",
        "and York?",
        "When does the York branch open on Sunday?",
    ),
    "a drug for a drug": (
        "what's the dosage of ibuprofen for children",
        "and paracetamol?",
        "what's the dosage of paracetamol for children",
    ),
    "patients for patients": (
        "what's the dosage of ibuprofen for children",
        "and adults?",
        "what's the dosage of ibuprofen for adults",
    ),
    "a thing of two words": (
        "Is there a warranty on the sofa?",
        "and for a washing machine?",
        "Is there a warranty on the washing machine?",
    ),
    "a day": ("When does the library open on Sunday?", "and Saturday?", "When does the library open on Saturday?"),
}  # fmt: skip
AMOUNTS = {
    "a bound": (
        "Who approves trips over 2000 euros?",
        "and under 500?",
        "Who approves trips under 500 euros?",
    ),
    "a number of years": (
        "What discount do I get if I commit for 1 year?",
        "and for 3 years?",
        "What discount do I get if I commit for 3 years?",
    ),
    "a percentage": ("Who may grant 10 % off?", "and 15 %?", "Who may grant 15 % off?"),
    "a price": ("Is there something under €50?", "and €80?", "Is there something under €80?"),
}
CORRECTIONS = {
    "sorry, X not Y": ("When does the Leeds branch open?", "sorry, York not Leeds", "When does the York branch open?"),
    "I said": ("When does the Leeds branch open?", "I said York", "When does the York branch open?"),
    "I asked about": ("What does the Gold tariff cost?", "i asked about silver", "What does the silver tariff cost?"),
    "the quality alone": (
        "What is the fee for express delivery?",
        "I meant standard",
        "What is the fee for standard delivery?",
    ),
    "sorry and a word": ("how much is a dog licence", "sorry, cat", "how much is a cat licence"),
    "the thing itself": ("How do I reset the router?", "no I mean the modem", "How do I reset the modem?"),
    "the Dublin one": (
        "is the Bristol store cafe open on sunday",
        "no, i meant the Dublin one",
        "is the Dublin store cafe open on sunday",
    ),
}  # fmt: skip
ALL = {**ASPECTS, **THINGS, **AMOUNTS, **CORRECTIONS}


@pytest.mark.parametrize("name", ALL)
def test_it_asks_the_last_question_with_one_thing_changed(talk: Any, name: str) -> None:
    question, message, searched = ALL[name]
    talk.say(question, "It depends.")
    assert talk.hear(message).query == searched


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (
            "What's the warranty on the fan?",
            "and the lamp?",
        ),  # another thing, or another aspect: nobody can tell
        ("how much is the deposit for a van in Porto", "and the insurance?"),
        (
            "What does the harbour tour cost?",
            "and the duration?",
        ),  # nothing is asked *of* the tour that could give way
    ],
)
def test_it_adds_what_may_stand_for_either_and_takes_nothing_away(
    talk: Any, question: str, message: str
) -> None:
    talk.say(question, "It depends.")
    assert talk.hear(message).query.startswith(message)


def test_another_attribute_does_not_take_the_predicate_along(talk: Any) -> None:
    talk.say("What does the city museum cost?", "12 euros.")
    query = talk.hear("and the duration?").query
    assert "city museum" in query and "cost" not in query


def test_it_goes_on_from_the_aspect_that_was_asked_last(talk: Any) -> None:
    talk.say("What is the RPO in Dublin?", "Six hours.")
    talk.say("And RTO?", "Twelve hours.")
    assert talk.hear("and in Frankfurt?").query == "What is the RTO in Frankfurt?"


@pytest.mark.parametrize(
    ("message", "searched"),
    [
        ("and a mattress?", "can i send a mattress back if i wore it once"),
        ("what about sandals", "can i send sandals back if i wore them once"),
    ],
)
def test_it_spells_out_the_pronoun_that_meant_the_old_thing(talk: Any, message: str, searched: str) -> None:
    talk.say("how long do i have to return shoes", "60 days.")
    talk.say("can i send them back if i wore them once", "Only if they were not worn outdoors.")
    assert talk.hear(message).query == searched


def test_a_correction_leaves_nothing_of_the_wrong_thing_behind(talk: Any) -> None:
    talk.say("do the Bristol stores have a cafe?", "Yes, on the ground floor.")
    talk.say("when is it open on sunday?", "From 11 to 17.")
    query = talk.hear("no, i meant the Dublin one").query
    assert "Dublin" in query and "Bristol" not in query


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("over 2,000 euros", [("over", "2,000", " euros")]),
        ("€50 or 15 %", [("", "€50", ""), ("", "15", " %")]),
        ("3 in stock", [("", "3", "")]),
        ("eu-west-1 and TLS1.3", []),
    ],
)
def test_it_reads_amounts_with_bound_and_unit(text: str, found: list[tuple[str, str, str]]) -> None:
    assert [(a.bound, a.number, a.unit) for a in amounts(text)] == found


@pytest.mark.parametrize(
    "message", ["I said York", "sorry, York not Leeds", "oops, the small one", "i asked about silver"]
)
def test_what_only_says_it_again_is_a_correction(message: str) -> None:
    assert is_correction(message)


@pytest.mark.parametrize(
    "message",
    [
        "sorry about that",
        "no, it does not work",
        "I asked about silver, what does it cost?",
        "sorry to bother you",
        "sorry, thanks",
    ],
)
def test_what_goes_on_or_only_excuses_itself_is_none(message: str) -> None:
    assert not is_correction(message)


def test_what_is_only_supposed_is_shown_beside_the_question(talk: Any) -> None:
    talk.say("do you price match other shops", "We do, before you buy.")
    display = talk.hear("how about if I already bought it").ruling.display
    assert display.startswith("how about if I already bought it (")


@pytest.mark.parametrize(
    ("asked", "answer", "message", "gone", "kept"),
    [
        (
            "What does it cost to moor at Whitby Marina for a night?",
            "Fourteen pounds a night.",
            "And what about Larkfield?",
            "Whitby",
            "moor Larkfield night",
        ),
        (
            "What do residents pay for a locker at Ashcombe?",
            "Between 12 and 31 pounds a month.",
            "Would it be the same if I moved over to Kestrel?",
            "Ashcombe",
            "residents locker Kestrel",
        ),
        (
            "When may I visit my aunt on Heron ward?",
            "From three to five.",
            "They've moved her to Kestrel, so when can I come now?",
            "Heron",
            "Kestrel",
        ),
        (
            "are there showers at ardvale",
            "Yes, four.",
            "same at portkell quay?",
            "ardvale",
            "showers portkell",
        ),
        ("is there a toilet on the fulmar", "Yes, two.", "same on the petrel?", "fulmar", "toilet petrel"),
    ],
)
def test_a_name_takes_the_place_of_another_whatever_the_parser_takes_it_for(
    talk: Any, asked: str, answer: str, message: str, gone: str, kept: str
) -> None:
    talk.say(asked, answer)
    query = key_of(talk.hear(message).query)
    assert not contains_key(query, key_of(gone))
    assert all(contains_key(query, key_of(word)) for word in kept.split())


def test_a_name_of_another_kind_takes_no_places_place(talk: Any) -> None:
    talk.say("What is the RPO in Frankfurt?", "15 minutes.")
    assert contains_key(key_of(talk.hear("And on the Business tier?").query), "frankfurt")


@pytest.mark.parametrize(
    ("asked", "message", "searched"),
    [
        (
            "when does the shop in bristol close on thursdays",
            "and hull?",
            "when does the shop in hull close on thursdays",
        ),
        (
            "is the pool in marlow open on sundays",
            "and henley?",
            "is the pool in henley open on sundays",
        ),
    ],
)
def test_a_town_never_takes_a_days_place(talk: Any, asked: str, message: str, searched: str) -> None:
    talk.say(asked, "Until nine.")
    assert talk.hear(message).query == searched
