"""A summary written before a correction says what holds after it."""

from __future__ import annotations

from dataclasses import replace

from conversations.domain.memory.correcting import corrected
from conversations.domain.memory.values import Fact, SummaryPart

SAID = "We have 3 wards and open on 4 May."
OLD = Fact("wards", "ward", SAID, "3 wards", 2, attribute="ward", said_by="user", replaced_in=9)
NEW = Fact("wards", "ward", "Sorry, we have 5 wards.", "5 wards", 9, attribute="ward", said_by="user")
PART = SummaryPart(1, 4, f"Asked about the clinic: “{SAID}” Visits end at 20:00.")


def test_it_says_what_holds_after_the_correction() -> None:
    (part,) = corrected((PART,), (OLD, NEW))
    assert "5 wards and open on 4 May" in part.text
    assert "3 wards" not in part.text
    assert "Visits end at 20:00." in part.text


def test_doing_it_twice_changes_nothing() -> None:
    once = corrected((PART,), (OLD, NEW))
    assert corrected(once, (OLD, NEW)) == once


def test_it_touches_no_part_of_other_turns_and_no_statement_that_holds() -> None:
    later = replace(PART, first_turn=5, last_turn=8)
    assert corrected((later,), (OLD, NEW)) == (later,)
    assert corrected((PART,), (replace(OLD, replaced_in=0), NEW)) == (PART,)


def test_it_exchanges_whole_values_only() -> None:
    said = "We have 13 wards, 3 of them closed."
    old = Fact("wards", "ward", said, "3", 2, attribute="ward", said_by="user", replaced_in=9)
    new = replace(NEW, value="5")
    (part,) = corrected((SummaryPart(1, 4, said),), (old, new))
    assert part.text == "We have 13 wards, 5 of them closed."


def test_without_a_successor_the_summary_stays() -> None:
    assert corrected((PART,), (OLD,)) == (PART,)
