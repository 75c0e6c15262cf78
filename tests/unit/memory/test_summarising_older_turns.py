"""Older turns become parts by their own sentences, in stretches that are the same every time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations.adapters.language.spacy_en import SpacyEnglish
from conversations.domain.memory.plan import (
    DEEP_AFTER,
    DEEP_TURNS,
    RECENT,
    ROLLING_TURNS,
    needed_from,
    plan_parts,
)
from conversations.domain.memory.summary import deep_part, rolling_part, summarised
from conversations.domain.memory.values import Level, SummaryPart
from conversations.domain.state import Exchange
from tests.unit.memory.talks import exchange, long_talk


def test_a_person_can_read_what_was_asked_and_said(language: SpacyEnglish) -> None:
    said = (
        exchange(1, "What does a companion bed cost?", "A companion bed costs 38.50 euros [1]. Beds are nice.", ["companion bed"]),
        exchange(2, "We'll take it for four nights.", "Noted.", ["companion bed"]),
        exchange(3, "And the first one?", "It is on Ward 7."),
    )  # fmt: skip
    assert rolling_part(said, language.analyse).text.splitlines() == [
        "Asked about companion bed: A companion bed costs 38.50 euros.",
        "Said about companion bed: “We'll take it for four nights.”",
        "Asked: “And the first one?” It is on Ward 7.",
    ]


def test_a_sentence_that_leans_on_another_keeps_it(language: SpacyEnglish) -> None:
    answer = "The lamp hangs over the desk. It must be off by 22:00."
    part = rolling_part((exchange(1, "And the light?", answer, ["light"]),), language.analyse)
    assert part.text == f"Asked about light: {answer}"


def test_the_same_number_for_two_things_stays_twice(language: SpacyEnglish) -> None:
    said = (
        exchange(1, "The deposit of the Fiesta?", "The Fiesta needs 350 EUR.", ["Fiesta"]),
        exchange(2, "And the Vito?", "The Vito needs 350 EUR.", ["Vito"]),
    )
    assert rolling_part(said, language.analyse).text.count("350 EUR") == 2


def test_a_part_knows_its_entities_and_chunks(language: SpacyEnglish) -> None:
    said = Exchange(3, "Who runs it?", "", "follow_up", "Beatriz Moura runs the desk.", chunks=("c1", "c2"))
    part = rolling_part((said,), language.analyse)
    assert (part.first_turn, part.last_turn, part.chunks) == (3, 3, ("c1", "c2"))
    assert "beatriz moura" in part.entities


def test_small_talk_and_nothing_leave_no_line(language: SpacyEnglish) -> None:
    thanks = Exchange(1, "thanks", "thanks", "small_talk", "You are welcome.")
    assert rolling_part((thanks,), language.analyse).text == ""
    assert rolling_part((), language.analyse) == SummaryPart(0, 0, "")


def test_a_deep_part_says_once_what_was_said_twice() -> None:
    parts = (
        SummaryPart(1, 6, "Asked about parking: Parking costs 12 euros a day.", entities=("parking",)),
        SummaryPart(
            7, 9, "Asked about parking: Parking costs 12 euros a day.\nAsked about trees: Trees are green."
        ),
    )
    deep = deep_part(parts)
    assert (deep.first_turn, deep.last_turn, deep.level) == (1, 9, Level.DEEP)
    assert deep.text == "Asked about parking: Parking costs 12 euros a day.\nAsked about trees:"


@pytest.mark.parametrize("name", ["hospital", "library", "rental"])
def test_making_a_deep_part_deep_changes_nothing(language: SpacyEnglish, name: str) -> None:
    deep = deep_part([rolling_part(long_talk(name, language.analyse), language.analyse)])
    assert deep_part([deep]) == deep
    assert "\n" in deep.text


def by_turn(exchanges: object) -> SummaryPart:
    """A part that only says which turns it covers: enough to see the plan."""
    turns = [e.turn for e in exchanges]  # type: ignore[attr-defined]
    return SummaryPart(turns[0], turns[-1], " ".join(map(str, turns)))


def joined(parts: object) -> SummaryPart:
    held = list(parts)  # type: ignore[call-overload]
    return SummaryPart(held[0].first_turn, held[-1].last_turn, " ".join(p.text for p in held), Level.DEEP)


TALK = st.lists(st.integers(0, 9), min_size=1, max_size=80).map(
    lambda changes: tuple(
        exchange(
            turn, "m", thread=sum(c == 0 for c in changes[:turn]), segment=sum(c == 1 for c in changes[:turn])
        )
        for turn in range(1, len(changes) + 1)
    )
)


def grown(talk: tuple[Exchange, ...]) -> tuple[SummaryPart, ...]:
    """Parts made turn by turn, each time from the exchanges that planning asks for."""
    parts: tuple[SummaryPart, ...] = ()
    for turn in range(1, len(talk) + 1):
        known = [e for e in talk[:turn] if e.turn >= needed_from(parts)]
        parts = summarised(parts, known, turn, by_turn, joined)
    return parts


@settings(max_examples=100, deadline=None)
@given(TALK)
def test_everything_older_is_covered_once_and_the_latest_never(talk: tuple[Exchange, ...]) -> None:
    turn = len(talk)
    parts = grown(talk)
    covered = [int(n) for part in parts for n in part.text.split()]
    assert covered == list(range(1, turn - RECENT + 1))
    for part in parts:
        inside = talk[part.first_turn - 1 : part.last_turn]
        if part.level is Level.ROLLING:
            assert len(inside) <= ROLLING_TURNS
            assert len({(e.thread, e.segment) for e in inside}) == 1
        else:
            assert len(inside) <= DEEP_TURNS
            assert part.last_turn <= turn - DEEP_AFTER
    assert all(p.level is Level.DEEP for p in parts if p.last_turn <= turn - DEEP_AFTER)


@settings(max_examples=100, deadline=None)
@given(TALK)
def test_planning_again_finds_nothing_to_do(talk: tuple[Exchange, ...]) -> None:
    parts = grown(talk)
    known = [e for e in talk if e.turn >= needed_from(parts)]
    assert not plan_parts(parts, known, len(talk)).due
    assert summarised(parts, known, len(talk), by_turn, joined) == parts
    assert summarised((), talk, len(talk), by_turn, joined)[-1:] == parts[-1:]


def test_a_stretch_that_may_grow_is_told_from_a_finished_one() -> None:
    talk = tuple(exchange(turn, "m", thread=1 if turn < 4 else 2) for turn in range(1, 12))
    plan = plan_parts((), talk, 11)
    assert [(s.first_turn, s.last_turn, s.complete) for s in plan.rolling] == [(1, 3, True), (4, 5, False)]
