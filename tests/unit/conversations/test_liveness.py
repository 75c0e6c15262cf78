"""The machine that decides what the user still means."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.domain.liveness import (
    CLOSED,
    REOPENS,
    TABLE,
    Happened,
    Horizons,
    Rules,
    Slot,
    SlotEvent,
    Status,
    open_slot,
    step,
)

RULES = Rules(Horizons(3, 8), frozenset({"place"}))
TYPES = ("place", "product", "topic")
MENTIONS = (Happened.NAMED, Happened.REFERRED, Happened.PICKED)


def slot(status: Status = Status.LIVE, last: int = 1, slot_type: str = "place", slot_id: str = "s1") -> Slot:
    return Slot(slot_id, slot_type, "Frankfurt", status, 1, last)


statuses = st.sampled_from(Status)
events = st.builds(
    SlotEvent,
    happened=st.sampled_from(Happened),
    turn=st.integers(1, 40),
    by=st.sampled_from([None, "s2"]),
    by_type=st.sampled_from([None, *TYPES]),
)


def test_it_is_the_table_of_the_design() -> None:
    arrows = {(a.value, h.value, b.value) for (a, h), b in TABLE.items()}
    assert arrows == {
        *((s, m, "live") for s in ("offered", "live", "stale") for m in ("named", "referred", "picked")),
        ("live", "silence", "stale"),
        ("stale", "silence", "evicted"),
        ("offered", "silence", "evicted"),
        ("live", "replaced", "superseded"),
        ("stale", "replaced", "superseded"),
    }


@given(statuses, st.lists(events, max_size=30))
def test_it_never_leaves_superseded_or_evicted(status: Status, happened: list[SlotEvent]) -> None:
    current = slot(status)
    for event in happened:
        before, current = current, step(current, event, RULES)
        if before.status in CLOSED:
            assert current.status is before.status


@given(st.integers(3, 7), st.sampled_from(MENTIONS))
def test_it_brings_a_stale_entity_back_by_any_mention(turn: int, happened: Happened) -> None:
    stale = step(slot(), SlotEvent(Happened.SILENCE, 1 + turn), RULES)
    assert stale.status is Status.STALE
    back = step(stale, SlotEvent(happened, 2 + turn), RULES)
    assert (back.status, back.last_mention_turn) == (Status.LIVE, 2 + turn)


@given(statuses, st.lists(st.integers(1, 40), min_size=1, max_size=20))
def test_it_is_never_revived_or_kept_alive_by_the_assistant(status: Status, turns: list[int]) -> None:
    current = slot(status)
    for turn in turns:
        current = step(current, SlotEvent(Happened.OFFERED, turn), RULES)
    assert (current.status, current.last_mention_turn) == (status, 1)


@given(st.integers(0, 30), st.integers(1, 30))
def test_it_counts_silence_from_the_own_last_mention(silence: int, last: int) -> None:
    after = step(slot(last=last), SlotEvent(Happened.SILENCE, last + silence), RULES)
    wanted = Status.EVICTED if silence >= 8 else Status.STALE if silence >= 3 else Status.LIVE
    assert after.status is wanted


@given(st.lists(st.tuples(st.sampled_from(MENTIONS), st.integers(1, 3)), max_size=15))
def test_it_stays_live_while_mentions_come_before_the_horizon(mentions: list[tuple[Happened, int]]) -> None:
    current, turn = slot(), 1
    for happened, gap in mentions:
        turn += min(gap, 2)
        current = step(current, SlotEvent(Happened.SILENCE, turn), RULES)
        assert current.status is Status.LIVE
        current = step(current, SlotEvent(happened, turn), RULES)


@given(
    st.lists(st.tuples(st.sampled_from(TYPES), events), max_size=40),
    st.sampled_from(TYPES),
)
def test_it_moves_no_entity_by_events_of_another_type(script: list[tuple[str, SlotEvent]], mine: str) -> None:
    together = {name: slot(slot_type=name, slot_id=name) for name in TYPES}
    alone = together[mine]
    for target, event in script:
        event = replace(event, by_type=target)
        together[target] = step(together[target], event, RULES)
        if target == mine:
            alone = step(alone, event, RULES)
    assert together[mine] == alone


@given(statuses, st.sampled_from(TYPES), st.sampled_from([None, *TYPES]))
def test_it_supersedes_only_within_one_single_valued_type(
    status: Status, mine: str, by_type: str | None
) -> None:
    after = step(
        slot(status, slot_type=mine), SlotEvent(Happened.REPLACED, 2, by="s2", by_type=by_type), RULES
    )
    narrow = mine == by_type == "place" and status in {Status.LIVE, Status.STALE}
    assert (after.status is Status.SUPERSEDED) is (narrow or status is Status.SUPERSEDED)
    assert (after.superseded_by == "s2") is narrow


def test_it_is_not_superseded_by_itself() -> None:
    same = step(slot(), SlotEvent(Happened.REPLACED, 2, by="s1", by_type="place"), RULES)
    assert same.status is Status.LIVE


@given(st.sampled_from(sorted(CLOSED)), st.sampled_from(sorted(REOPENS)))
def test_it_opens_a_linked_slot_when_a_closed_entity_is_named_again(
    status: Status, happened: Happened
) -> None:
    old = replace(slot(status), aliases=("FRA",))
    new = open_slot("s9", old.type, old.name, SlotEvent(happened, 12), recalls=old)
    assert (new.status, new.recalls, new.introduced_turn) == (Status.LIVE, "s1", 12)
    assert (new.name, new.aliases) == (old.name, old.aliases)


@given(st.integers(1, 5), st.integers(6, 12))
def test_it_takes_horizons_per_type(stale: int, evict: int) -> None:
    rules = Rules(Horizons(3, 8, (("product", stale, evict),)))
    product = slot(slot_type="product")
    place = slot()
    silence = SlotEvent(Happened.SILENCE, 1 + stale)
    assert step(product, silence, rules).status is Status.STALE
    assert step(place, silence, rules) == step(place, silence, RULES)


def test_it_evicts_offers_that_nobody_takes_up() -> None:
    offered = slot(Status.OFFERED)
    assert step(offered, SlotEvent(Happened.SILENCE, 8), RULES).status is Status.OFFERED
    assert step(offered, SlotEvent(Happened.SILENCE, 9), RULES).status is Status.EVICTED


def test_it_keeps_where_an_entity_came_from() -> None:
    event = SlotEvent(Happened.NAMED, 2)
    once = step(
        slot(), replace(event, provenance=replace(slot().provenance, messages=(2,), chunks=("c1",))), RULES
    )
    twice = step(once, replace(event, turn=3, provenance=replace(slot().provenance, messages=(2, 3))), RULES)
    assert (twice.provenance.messages, twice.provenance.chunks) == ((2, 3), ("c1",))


def test_it_is_as_sure_of_an_entity_as_the_surest_way_it_was_brought_up() -> None:
    offered = open_slot("s1", "place", "Frankfurt", SlotEvent(Happened.OFFERED, 1))
    referred = step(offered, SlotEvent(Happened.REFERRED, 2), RULES)
    named = step(referred, SlotEvent(Happened.NAMED, 3), RULES)
    again = step(named, SlotEvent(Happened.REFERRED, 4), RULES)
    assert offered.confidence < referred.confidence < named.confidence == again.confidence == 1.0


@pytest.mark.parametrize("status", [Status.LIVE, Status.STALE])
def test_what_the_user_takes_back_is_superseded_however_many_of_its_type_may_live(status):
    taken = SlotEvent(Happened.REPLACED, 2, by="s2", by_type="topic", taken_back=True)
    after = step(slot(status, slot_type="topic"), taken, RULES)
    assert (after.status, after.superseded_by) == (Status.SUPERSEDED, "s2")
    other = step(slot(status, slot_type="place"), taken, RULES)
    assert other.status is status, "only an entity of the same type takes its place"
