"""A correction wins always and keeps what it replaced; what was said twice stands once."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from conversations.adapters.language.spacy_en import SpacyEnglish
from conversations.domain.memory.facts import facts_of
from conversations.domain.memory.ledger import in_scope, record
from conversations.domain.memory.values import Fact
from tests.unit.memory.talks import exchange

Said = tuple[str, str, bool]


def ledger_of(
    language: SpacyEnglish, *turns: Said, replaced: tuple[tuple[str, str], ...] = ()
) -> tuple[Fact, ...]:
    """`turns` are (message, answer, whether it corrects); `replaced` belongs to the last of them."""
    ledger: tuple[Fact, ...] = ()
    for turn, (message, answer, corrects) in enumerate(turns, 1):
        new = facts_of(exchange(turn, message, answer), language.analyse(message), language.analyse(answer))
        pairs = replaced if turn == len(turns) else ()
        ledger = record(ledger, new, correction=corrects, turn=turn, replaced=pairs)
        assert record(ledger, new, correction=corrects, turn=turn, replaced=pairs) == ledger
    return ledger


def holding(ledger: tuple[Fact, ...]) -> set[str]:
    return {fact.value for fact in ledger if fact.holds}


def test_a_year_that_is_taken_back_is_replaced(language: SpacyEnglish) -> None:
    ledger = ledger_of(
        language,
        ("We report for the fiscal year 2022.", "For 2022 the threshold is 250 employees.", False),
        ("Actually 2023, not 2022.", "For 2023 the threshold is 300 employees.", True),
    )
    old = next(fact for fact in ledger if fact.value == "2022" and fact.said_by == "user")
    new = next(fact for fact in ledger if fact.value == "2023" and fact.said_by == "user")
    assert old.replaced_in == 2
    assert (new.key, new.attribute) == (old.key, old.attribute)
    assert {"250 employees", "2022"}.isdisjoint(holding(ledger))


def test_the_assistant_cannot_bring_a_corrected_value_back(language: SpacyEnglish) -> None:
    turns = [
        ("What is the deposit for the Octavia?", "The deposit for the Octavia is 600 EUR.", False),
        ("No, the deposit for the Octavia is 650 EUR.", "", True),
        ("Sure?", "The deposit for the Octavia is 600 EUR.", False),
    ]
    assert "600 EUR" not in holding(ledger_of(language, *turns))
    again = ledger_of(language, *turns, ("The deposit for the Octavia is 600 EUR after all.", "", False))
    assert "600 EUR" in holding(again)


def test_a_number_without_a_subject_corrects_the_latest_of_its_kind(language: SpacyEnglish) -> None:
    ledger = ledger_of(
        language,
        ("We have 120 people.", "", False),
        ("Our budget is 5,000 euros.", "", False),
        ("Sorry, make that 130 people.", "", True),
    )
    assert holding(ledger) >= {"130 people", "5,000 euros"}
    assert "120 people" not in holding(ledger)


def test_the_rest_of_a_corrected_sentence_lives_on_corrected(language: SpacyEnglish) -> None:
    ledger = ledger_of(
        language,
        ("We'll take the Vito from 2 to 12 July 2025.", "", False),
        ("Sorry, that should be 14 July, not 12 July.", "", True),
    )
    decision = next(fact for fact in ledger if fact.kind == "decision")
    assert decision.holds
    assert decision.fact == "We'll take the Vito from 2 to 14 July 2025."
    assert not any("12 July" in fact.fact for fact in ledger if fact.holds and fact.turn == 1)
    assert any(
        fact.fact == "We'll take the Vito from 2 to 12 July 2025." for fact in ledger if not fact.holds
    )


def test_an_ordinal_takes_back_the_day_of_a_date(language: SpacyEnglish) -> None:
    ledger = ledger_of(
        language,
        ("We decided to have it done on 19 May 2025.", "", False),
        ("Actually the 20th, not the 19th.", "", True),
    )
    assert "We decided to have it done on 20 May 2025" in holding(ledger)
    assert "19 May 2025" not in holding(ledger)


def test_a_new_decision_in_a_correction_ends_the_old_one(language: SpacyEnglish) -> None:
    ledger = ledger_of(
        language,
        ("We'll go with the Silver tariff.", "Silver costs 20 euros.", False),
        ("Our budget is 100 euros.", "", False),
        ("Actually, let's take the Gold tariff.", "", True),
    )
    own = {fact.value for fact in ledger if fact.holds and fact.said_by == "user"}
    assert "Silver" not in own
    assert "100 euros" in own
    assert any("Gold tariff" in value for value in own)


def test_a_role_that_was_taken_ends_the_choice_and_not_the_knowledge(language: SpacyEnglish) -> None:
    ledger = ledger_of(
        language,
        ("We'll go with the Silver tariff.", "The Silver tariff costs 20 euros.", False),
        ("The Gold tariff, I mean.", "", True),
        replaced=(("silver tariff", "gold tariff"),),
    )
    assert not any(fact.holds for fact in ledger if fact.kind == "decision")
    assert "20 euros" in holding(ledger)


def test_without_a_correction_nothing_is_replaced(language: SpacyEnglish) -> None:
    ledger = ledger_of(
        language, ("We have 120 people.", "", False), ("In summer we have 130 people.", "", False)
    )
    assert holding(ledger) >= {"120 people", "130 people"}


def test_what_is_repeated_stands_once_with_all_its_chunks() -> None:
    fact = Fact("Ward 7", "ward 7", "Ward 7 has 42 beds.", "42 beds", 1, "bed", chunks=("a",))
    again = replace(fact, turn=2, chunks=("b",))
    ledger = record(record((), (fact,), correction=False, turn=1), (again,), correction=False, turn=2)
    assert [(f.turn, f.chunks) for f in ledger] == [(1, ("a", "b"))]


FACTS = st.builds(
    lambda entity, attribute, number, turn, user: Fact(
        entity, entity, f"{entity} {attribute} {number}", f"{number} {attribute}", turn, attribute,
        "user" if user else "assistant",
    ),
    st.sampled_from(["ward", "desk", "van"]),
    st.sampled_from(["beds", "euros", "seats"]),
    st.integers(1, 4),
    st.integers(1, 5),
    st.booleans(),
)  # fmt: skip
TURNS = st.lists(st.tuples(st.lists(FACTS, max_size=4), st.booleans()), max_size=6)


@settings(max_examples=150, deadline=None)
@given(TURNS)
def test_recording_twice_changes_nothing_and_nothing_is_ever_lost(
    turns: list[tuple[list[Fact], bool]],
) -> None:
    ledger: tuple[Fact, ...] = ()
    for turn, (facts, corrects) in enumerate(turns, 1):
        new = tuple(replace(fact, turn=turn) for fact in facts)
        after = record(ledger, new, correction=corrects, turn=turn)
        assert record(after, new, correction=corrects, turn=turn) == after
        assert {f.value for f in ledger} | {f.value for f in new} <= {f.value for f in after}
        assert all(not old.replaced_in or old in after for old in ledger)
        if not corrects:
            assert sum(f.holds for f in after) >= sum(f.holds for f in ledger)
        ledger = after


@settings(max_examples=150, deadline=None)
@given(st.lists(FACTS, max_size=12), st.sets(st.sampled_from(["ward", "desk", "van"])), st.integers(0, 5))
def test_what_is_shown_holds_and_names_nothing_closed(
    facts: list[Fact], closed: set[str], limit: int
) -> None:
    named = {"van"}
    shown = in_scope(facts, live={"desk"}, named=named, closed=closed, message_keys={"bed"}, limit=limit)
    assert len(shown) <= limit
    assert all(fact.holds and (fact.key not in closed or fact.key in named) for fact in shown)
    assert len({fact.fact for fact in shown}) == len(shown)


def test_named_things_come_first_then_shared_words_then_live_then_own() -> None:
    def fact(entity: str, said: str, by: str = "assistant") -> Fact:
        return Fact(entity, entity.lower(), said, "1", 1, "x", by)

    facts = [
        fact("cafeteria", "The cafeteria opens at 7."),
        fact("the user", "We have 120 people.", "user"),
        fact("Ward 7", "Ward 7 has 42 beds."),
        fact("parking", "Parking costs 12 euros a day."),
        fact("Dublin", "Dublin has 3 zones."),
        fact("Lotus", "Lotus serves lunch for 6.90 euros."),
    ]
    shown = in_scope(
        facts, live={"ward 7"}, named={"lotus"}, closed={"dublin"}, message_keys={"parking"}, limit=9
    )
    assert [f.entity for f in shown] == ["Lotus", "parking", "Ward 7", "the user"]
