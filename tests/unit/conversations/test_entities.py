"""Names and noun phrases: what a text is about."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conversations.adapters.language.spacy_en import SpacyEnglish
from conversations.domain.entities import names_of, names_slot, ranked_terms, terms_of
from conversations.domain.reading import Reading
from conversations.domain.words import contains_key, key_of


@pytest.mark.parametrize(
    ("text", "name", "slot_type"),
    [
        ("How do I use C++ here?", "C++", "identifier"),
        ("Does it run on .NET too?", ".NET", "identifier"),
        ("Is Node.js supported?", "Node.js", "identifier"),
        ("What does it cost in eu-west-1?", "eu-west-1", "place"),
        ("Show O'Neil's invoices", "O'Neil", "identifier"),
        ("Show O’Neil’s invoices", "O’Neil", "identifier"),
        ("Do you ship to AT&T stores?", "AT&T", "identifier"),
        ("What's the RPO for Frankfurt?", "Frankfurt", "place"),
        ("What changed in March 2024?", "March 2024", "date"),
    ],
)
def test_it_finds_names_with_signs_in_them(
    language: SpacyEnglish, text: str, name: str, slot_type: str
) -> None:
    found = {term.text: term.type for term in names_of(language.analyse(text))}
    assert found.get(name) == slot_type


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Refunds", "refund"),
        ("Frankfurt's", "FRANKFURT"),
        ("O'Neil’s", "o'neil"),
        ("policies", "Policy"),
        ("customer-managed keys", "customer managed key"),
        ("the boxes", "the box"),
    ],
)
def test_it_takes_case_plural_and_possessive_for_the_same(left: str, right: str) -> None:
    assert key_of(left) == key_of(right)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I write C++ code", "C"),
        ("the inner net", ".NET"),
        ("we moved to Parisville", "Paris"),
        ("eu-west-10 is new", "eu-west-1"),
        ("supported goals", "port"),
    ],
)
def test_it_matches_whole_words_only(text: str, name: str) -> None:
    assert not contains_key(key_of(text), key_of(name))


def test_it_does_not_take_a_common_word_for_a_name(language: SpacyEnglish) -> None:
    def named(text: str) -> bool:
        return names_slot("Target", "product", language.analyse(text), key_of(text))

    assert named("Is Target included?")
    assert not named("How do I target new customers in the campaign?")


def test_it_finds_a_name_that_the_user_types_in_lower_case(language: SpacyEnglish) -> None:
    text = "and for frankfurt?"
    assert names_slot("Frankfurt", "place", language.analyse(text), key_of(text))


def test_it_finds_ten_entities_in_one_message(language: SpacyEnglish) -> None:
    cities = "Dublin, Frankfurt, Paris, London, Madrid, Rome, Oslo, Vienna, Warsaw and Lisbon"
    found = {term.key for term in terms_of(language.analyse(f"Compare the prices in {cities}."))}
    assert {key_of(city) for city in cities.replace(" and", ",").split(", ") if city} <= found


def test_it_leaves_out_talk_and_measures(language: SpacyEnglish) -> None:
    text = "Hmm, thanks for the information. It takes 30 days and costs 2 euros."
    assert terms_of(language.analyse(text)) == ()


def test_it_keeps_a_name_with_of_in_one_piece(language: SpacyEnglish) -> None:
    keys = {term.key for term in terms_of(language.analyse("Does the Bank of England publish rates?"))}
    assert "bank of england" in keys


def test_it_ranks_what_an_answer_repeats_first(language: SpacyEnglish) -> None:
    text = "A canary release is gradual. Traffic moves to the canary release. Errors stop the canary release."
    assert ranked_terms(language.analyse(text))[0].key == "canary release"


@pytest.mark.parametrize(
    ("text", "found", "left_out"),
    [
        ("For how long is a library card valid?", "library card", ""),
        ("And roughly how many days does a whole delivery take?", "whole delivery", "days"),
        ("how fast is drop & go", "drop & go", "drop"),
        ("Does Black & Decker repair drills?", "Black & Decker", "Decker"),
        ("actually make that a canoe", "canoe", ""),
        ("Could you mend my old oak-framed mirror there?", "old oak-framed mirror", ""),
        ("How much does a canal tour cost with lunch?", "canal tour", "cost"),
        ("Is it billed by the hour?", "", "hour"),
        ("What does archive storage cost?", "archive storage", "cost"),
        ("no wait, two weeks ago", "", "week"),
    ],
)
def test_it_finds_what_stands_in_no_phrase(
    language: SpacyEnglish, text: str, found: str, left_out: str
) -> None:
    keys = {term.key for term in terms_of(language.analyse(text))}
    assert not found or key_of(found) in keys
    assert not left_out or key_of(left_out) not in keys


@pytest.mark.parametrize(
    "text",
    [
        "Good morning. Yes, the lifts run all night.",
        "Congratulations! The lifts are free for you.",
        "Pity. Are there other lifts?",
        "Thanks, and what about lifts?",
    ],
)
def test_what_is_said_to_be_polite_is_no_thing(language: SpacyEnglish, text: str) -> None:
    names = {term.text.lower() for term in terms_of(language.analyse(text))}
    assert not names & {"good morning", "morning", "congratulations", "pity", "thanks"}
    assert any("lifts" in name for name in names)


def test_what_is_named_politely_stays_a_thing(language: SpacyEnglish) -> None:
    assert [term.text for term in terms_of(language.analyse("What does a welcome pack cost?"))] == [
        "welcome pack"
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How long will I be in hospital for a hip replacement?", "hip replacement"),
        ("How long will we be on site for a boiler inspection?", "boiler inspection"),
        ("Would I have insurance during an office move?", "office move"),
        ("Should I have cash for a cabin upgrade?", "cabin upgrade"),
        ("How long will the server be offline for a disk swap?", "disk swap"),
        ("How much would a sofa delivery cost?", "sofa delivery"),
        ("does a gift card expire", "gift card"),
    ],
)
def test_a_compound_keeps_its_head_and_takes_no_verb_for_one(
    language: SpacyEnglish, text: str, found: str
) -> None:
    assert key_of(found) in {term.key for term in terms_of(language.analyse(text))}


@pytest.mark.parametrize(
    ("message", "colour"),
    [
        ("i ordered a fjord sofa yesterday in green, can i still cancel", "green"),
        ("do you have the coat in navy, size 40", "navy"),
        ("i bought the lamp in black, can i change it", "black"),
    ],
)
def test_a_colour_in_small_letters_is_no_name(
    read: Callable[[str], Reading], message: str, colour: str
) -> None:
    assert not any(term.name for term in read(message).terms if term.key == colour)


def test_a_name_that_is_a_colour_is_one_where_it_is_written_so(read: Callable[[str], Reading]) -> None:
    assert any(term.name for term in read("Who is Ms Green of the legal team?").terms if "green" in term.key)
