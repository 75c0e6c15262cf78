"""What-if replay as values: what counts as a change, what a replay may know of the future, what it takes back."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from conversations.domain.memory.values import Fact
from conversations.domain.state import Exchange, Term
from conversations.evaluation.what_if import (
    Change,
    Counts,
    Sample,
    Selection,
    Side,
    Told,
    added_up,
    changes_of,
    differs_from_stored,
)
from conversations.evaluation.what_if_playing import MOST_ARCHIVED, ReplayedArchive, memory_before
from kernel.errors import Invalid

SIDE = Side(
    query="When does ward 7 open?",
    display="",
    kind="follow_up",
    verdict="clean",
    turns=(1, 2),
    slots=(("ward 7", "live"),),
    passages=("a", "b", "c"),
)
TOLD = Told(uuid4(), 3, "when does it open?", "", (), 0.0, SIDE.query, "clean", top="a")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"query": "  when DOES ward 7 open? "}, set()),
        ({"query": "When does it open?"}, {Change.REWRITE}),
        ({"verdict": "contaminated"}, {Change.VERDICT}),
        ({"passages": ("a", "c", "b")}, set()),
        ({"passages": ("b", "a", "c")}, {Change.TOP_PASSAGE}),
        ({"passages": ("a", "b")}, {Change.PASSAGES}),
        ({"passages": ()}, {Change.TOP_PASSAGE, Change.PASSAGES}),
        ({"turns": (2,)}, {Change.SCOPE}),
        ({"slots": (("ward 7", "stale"),)}, {Change.SCOPE}),
        ({"display": "other", "origin": "model"}, set()),
    ],
)
def test_it_tells_what_differs(changed, expected):
    assert changes_of(SIDE, replace(SIDE, **changed)) == expected


@pytest.mark.parametrize(
    ("changed", "expected"),
    [({}, False), ({"query": "other"}, True), ({"verdict": "invented"}, True), ({"passages": ("b",)}, True)],
)
def test_it_tells_whether_the_stored_turn_came_to_something_else(changed, expected):
    assert differs_from_stored(TOLD, replace(SIDE, **changed)) is expected


def test_a_turn_whose_passages_are_not_known_differs_by_query_and_verdict_only():
    assert not differs_from_stored(replace(TOLD, top=""), replace(SIDE, passages=("b",)))


def test_sides_and_selections_survive_their_storage():
    assert Side.from_json(SIDE.to_json()) == SIDE
    moment = datetime(2026, 11, 1, tzinfo=UTC)
    chosen = Selection(since=moment, most=5, sample=Sample.RANDOM, kinds=("correction",), flagged=True)
    assert Selection.from_json(chosen.to_json()) == chosen


@pytest.mark.parametrize("most", [0, -1, 2001])
def test_no_selection_is_larger_than_may_be_replayed(most):
    with pytest.raises(Invalid, match="from 1 to 2000"):
        Selection(most=most)


def test_no_period_ends_before_it_begins():
    moment = datetime(2026, 11, 1, tzinfo=UTC)
    with pytest.raises(Invalid, match="ends before"):
        Selection(since=moment, until=moment - timedelta(days=1))


def test_a_replayed_turn_knows_no_later_fact_and_no_later_correction():
    fact = Fact("ward 7", "ward 7", "Ward 7 has 12 beds.", "12", turn=2, replaced_in=5)
    later = replace(fact, fact="Ward 7 has 14 beds.", value="14", turn=5, replaced_in=0)
    held = memory_before([fact, later], 5)
    assert [(one.value, one.holds) for one in held.facts] == [("12", True)]
    after = memory_before([fact, later], 6)
    assert [(one.value, one.holds) for one in after.facts] == [("12", False), ("14", True)]
    assert memory_before([fact, later], 2).facts == ()


def found(archive, keys, before):
    return [exchange.turn for exchange in asyncio.run(archive.naming(keys, before))]


def exchange(turn, key="ward 7"):
    return Exchange(turn=turn, message="", query="", kind="opening", terms=(Term(key, key),))


def test_the_archive_of_a_replay_finds_what_is_named_before_a_turn_newest_first():
    archive = ReplayedArchive()
    for turn in range(1, 12):
        archive.add(exchange(turn, "ward 7" if turn % 2 else "kitchen"))
    assert found(archive, {"ward 7"}, 8) == [7, 5, 3, 1]
    assert len(found(archive, {"ward 7", "kitchen"}, 99)) == 6


def test_the_archive_of_a_replay_does_not_grow_without_end():
    archive = ReplayedArchive()
    for turn in range(MOST_ARCHIVED + 10):
        archive.add(exchange(turn))
    assert found(archive, {"ward 7"}, 10) == []


def test_counts_of_strata_add_up():
    one = Counts(compared=3, changed=1, rewrite=1, failed=1)
    assert added_up([one, one]) == Counts(compared=6, changed=2, rewrite=2, failed=2)
    assert added_up([]).total == 0 and one.total == 4
