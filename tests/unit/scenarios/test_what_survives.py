"""What of a session survives in its summary and ledger."""

from __future__ import annotations

from conversations.domain.memory.values import Memory
from conversations.domain.state import Exchange
from conversations.domain.window import Background
from conversations.evaluation.scenarios.script import KeyFact
from conversations.evaluation.scenarios.surviving import kept, outdated_shown, survived
from tests.unit.scenarios.builders import fact, part, turn

WARD = KeyFact("ward", 1, ("ward 7", "beds"))
YEAR = KeyFact("year", 3, ("2027",), corrects=2, outdated=("open", "2026"))
SAID = (
    Exchange(1, "Ward 7 has 24 beds.", "Ward 7 has 24 beds.", "opening"),
    Exchange(2, "We open in 2026.", "We open in 2026.", "standalone"),
)


def test_a_fact_is_kept_by_a_sentence_of_the_summary():
    memory = Memory((part("Asked about beds: “Ward 7 has 24 beds.”"),))

    assert kept((WARD,), memory)[0].ok


def test_a_fact_is_kept_by_the_ledger():
    assert kept((WARD,), Memory(facts=(fact("Ward 7 has 24 beds.", "24 beds"),)))[0].ok


def test_a_fact_is_not_kept_by_words_of_different_sentences():
    memory = Memory((part("Asked about a hospital: Ward 7 is closed. There are 24 beds."),))

    assert not kept((WARD,), memory)[0].ok


def test_a_fact_that_no_longer_holds_keeps_nothing():
    gone = fact("Ward 7 has 24 beds.", "24 beds", replaced_in=2)

    assert not kept((WARD,), Memory(facts=(gone,)))[0].ok


def test_an_old_value_that_still_stands_spoils_the_correction():
    memory = Memory(
        (part("Asked about the opening: “We open in 2026.”"),), (fact("We open in 2027.", "2027", 3),)
    )
    year = kept((YEAR,), memory)[0]

    assert year.where
    assert year.outdated == ("“We open in 2026.”",)
    assert not year.ok


def test_an_old_value_may_be_named_beside_the_new_one():
    memory = Memory(facts=(fact("We open in 2027, not in 2026.", "2027", 3),))

    assert kept((YEAR,), memory)[0].ok


def test_survival_is_the_lower_of_key_facts_and_items():
    memory = Memory((part("Asked about beds: “Ward 7 has 24 beds.”", 1, 2),), covered=2)
    told = survived((WARD,), memory, SAID)

    assert told.key_facts == 1.0
    assert told.share == round(told.items, 4) < 1.0
    assert [item.key for item in told.gone] == ["2026"]


def test_survival_reads_only_the_turns_that_are_covered():
    memory = Memory((part("Asked about beds: “Ward 7 has 24 beds.”"),), covered=1)

    assert survived((), memory, SAID).share == 1.0


def test_an_old_value_is_looked_for_in_what_later_turns_were_shown():
    old, new = Background(facts=("We open in 2026.",)), Background(summary="Asked: We open in 2027.")
    turns = [
        turn(2, "a", background=old),
        turn(3, "b", background=old),
        turn(4, "c", background=old),
        turn(5, "d", background=new),
        turn(6, "e"),
    ]

    assert outdated_shown((WARD, YEAR), turns) == [(4, True), (5, False)]
