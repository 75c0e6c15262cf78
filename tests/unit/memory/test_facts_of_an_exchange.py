"""Numbers, names, decisions and constraints come out of an exchange word for word, with what they are said of."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conversations.adapters.language.spacy_en import SpacyEnglish, plain_analysis
from conversations.domain.language import Analysis
from conversations.domain.memory.facts import RETRACTED, facts_of
from conversations.domain.memory.subjects import USER
from conversations.domain.memory.values import Fact
from tests.unit.memory.talks import exchange


def facts(language: SpacyEnglish, message: str, answer: str = "", about: tuple[str, ...] = ()) -> list[Fact]:
    said = exchange(1, message, answer, about)
    return list(facts_of(said, language.analyse(message), language.analyse(answer)))


def found(all_facts: list[Fact], value: str) -> Fact:
    return next(fact for fact in all_facts if fact.value == value)


def test_it_keeps_what_users_say_of_themselves(language: SpacyEnglish) -> None:
    told = facts(language, "We have 120 people and our budget is €45,000 per year. We are based in Hamburg.")
    people, budget, place = found(told, "120 people"), found(told, "€45,000"), found(told, "Hamburg")
    assert {people.entity, budget.entity, place.entity} == {USER}
    assert (people.attribute, budget.attribute) == ("people", "budget")
    assert people.said_by == "user"
    assert place.fact == "We are based in Hamburg."


def test_it_says_what_is_stated_of_what(language: SpacyEnglish) -> None:
    answer = "The RPO for the Frankfurt region is 15 minutes [1]. In Dublin the RPO is 30 minutes."
    told = facts(language, "What are the RPOs?", answer)
    assert (found(told, "15 minutes").key, found(told, "15 minutes").attribute) == ("frankfurt region", "rpo")
    assert (found(told, "30 minutes").key, found(told, "30 minutes").attribute) == ("dublin", "rpo")
    assert "[1]" not in found(told, "15 minutes").fact


def test_it_falls_back_to_the_subject_of_the_exchange(language: SpacyEnglish) -> None:
    told = facts(
        language, "What does it need?", "The deposit is 600 EUR and the minimum age is 21.", ("Octavia",)
    )
    assert (found(told, "600 EUR").key, found(told, "600 EUR").attribute) == ("octavia", "deposit")
    assert found(told, "21").attribute == "minimum age"


@pytest.mark.parametrize(
    "message",
    [
        "We'll go with the Silver tariff.",
        "Let's take the estate car then.",
        "We decided to postpone the operation.",
        "I choose the single room.",
        "OK, I'd rather take the bus.",
    ],
)
def test_it_recognises_a_decision(language: SpacyEnglish, message: str) -> None:
    decided = [fact for fact in facts(language, message) if fact.kind == "decision"]
    assert [fact.fact for fact in decided] == [message]


@pytest.mark.parametrize(
    "message",
    ["Should we take the van?", "What did we decide?", "I want to know the price.", "Can I choose a seat?"],
)
def test_a_question_decides_nothing(language: SpacyEnglish, message: str) -> None:
    assert facts(language, message) == []


def test_a_number_in_a_question_binds_what_follows(language: SpacyEnglish) -> None:
    told = facts(language, "For 120 people, what would the Rosen Room cost?")
    assert [(fact.value, fact.entity) for fact in told] == [("120 people", USER)]


def test_it_reads_tables_and_lists(language: SpacyEnglish) -> None:
    table = "| Car | Deposit | Age |\n|---|---|---|\n| Economy | 200 € | 21 |\n| Van | $450.50 | 25 |"
    told = facts(language, "Which cars?", f"{table}\n\n1. **Fiesta**: 35 EUR per day [1]\n2. Octavia: 52 EUR")
    assert (found(told, "200 €").key, found(told, "200 €").attribute) == ("economy", "deposit")
    assert (found(told, "25").key, found(told, "25").attribute) == ("van", "age")
    assert found(told, "35 EUR").key == "fiesta"
    assert "1" not in {fact.value for fact in told}


def test_it_marks_what_the_user_takes_back(language: SpacyEnglish) -> None:
    told = facts(language, "Actually 2023, not 2022.")
    assert {(fact.value, fact.kind) for fact in told} == {("2023", "number"), ("2022", RETRACTED)}


def test_it_keeps_numbers_and_names_of_other_languages() -> None:
    message = "Die Jahresgebühr der Bibliothek in Köln beträgt 1.250,50 € und gilt für 14 Personen."
    values = {f.value for f in facts_of(exchange(1, message), plain_analysis(message, "other"), Analysis(""))}
    assert {"1.250,50 €", "14 Personen", "Köln"} <= values
    thai = plain_analysis("ค่าธรรมเนียมคือ 500 บาท", "other")
    assert {f.value for f in facts_of(exchange(1, thai.text), thai, Analysis(""))} == {"500 บาท"}


def test_an_abbreviation_that_acts_is_a_name(language: SpacyEnglish) -> None:
    told = facts(language, "Who checks?", "ENISA reviews it every 3 years.")
    assert found(told, "3 years").key == "enisa"


def test_a_wall_of_digits_is_no_fact(language: SpacyEnglish) -> None:
    assert facts(language, "Why?", "1" * 3000) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=300))
def test_any_text_gives_facts_that_stand_in_it(language: SpacyEnglish, text: str) -> None:
    for fact in facts_of(exchange(1, text, text), language.analyse(text), language.analyse(text)):
        assert fact.value
        assert fact.fact
