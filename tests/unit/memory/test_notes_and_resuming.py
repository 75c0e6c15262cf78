"""After a pause a session starts clean and says so; notes tell what was corrected."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.domain.liveness import Slot, Status
from conversations.domain.memory.notes import corrected_pairs, correction_note, pause, resume_note
from conversations.domain.memory.resume import RESUME_AFTER_SECONDS, resumed
from conversations.domain.memory.values import Fact
from conversations.domain.state import ConversationState, Question
from tests.unit.memory.talks import exchange

DAY = 86_400.0


@pytest.mark.parametrize(
    "seconds, words",
    [
        (5, "less than a minute"),
        (60, "1 minute"),
        (3 * 3600 + 59, "3 hours"),
        (DAY, "1 day"),
        (3.9 * DAY, "3 days"),
        (8 * DAY, "8 days"),
        (15 * DAY, "2 weeks"),
    ],
)
def test_a_pause_is_told_in_its_largest_whole_unit(seconds: float, words: str) -> None:
    assert pause(seconds) == words


def test_the_resume_note_says_how_long_ago_and_what_about() -> None:
    assert resume_note(3 * DAY, ["Ward 7", "parking", "Ward 7"]) == (
        "This conversation continues after 3 days. It was last about Ward 7 and parking."
    )
    assert resume_note(DAY, []) == "This conversation continues after 1 day."


def test_the_correction_note_says_what_took_whose_place() -> None:
    assert correction_note([("2022", "2023")]) == (
        "The user corrected what was said before: 2023 instead of 2022. Use the corrected value."
    )
    assert "“no, the other ward”" in correction_note(message="no,  the other ward")
    assert correction_note() == ""
    assert correction_note([("ward 7", "Ward 7")]) == ""


def test_the_pairs_come_from_the_ledger() -> None:
    old = Fact(
        "the user", "the user", "We have 120 people.", "120 people", 1, "people", "user", replaced_in=3
    )
    new = Fact("the user", "the user", "Make that 130 people.", "130 people", 3, "people", "user")
    told = Fact("room", "room", "The room holds 99.", "99", 1, "hold", replaced_in=3)
    assert corrected_pairs((old, told, new), 3) == (("120 people", "130 people"),)
    assert corrected_pairs((old, new), 2) == ()


def session(statuses: list[Status], pending: bool = True) -> ConversationState:
    return ConversationState(
        turn=2,
        version=5,
        slots=tuple(Slot(f"s{i}", "topic", f"thing {i}", status, 1, 2) for i, status in enumerate(statuses)),
        exchanges=(exchange(1, "a"), exchange(2, "b")),
        segment=1,
        pending=Question(2, "Which month?", "which") if pending else None,
    )


def test_a_session_reopened_late_is_clean_of_the_old_request() -> None:
    state = resumed(session([Status.LIVE, Status.STALE, Status.OFFERED, Status.EVICTED]), 7 * 3600)
    assert [s.status.value for s in state.slots] == ["stale", "stale", "offered", "evicted"]
    assert state.pending is None
    assert (state.segment, state.version) == (2, 6)


def test_a_short_pause_changes_nothing() -> None:
    state = session([Status.LIVE])
    assert resumed(state, RESUME_AFTER_SECONDS - 1) is state
    assert resumed(ConversationState(), 9 * DAY) == ConversationState()


@given(st.lists(st.sampled_from(list(Status)), max_size=8), st.booleans(), st.floats(0, 1e7))
def test_resuming_twice_is_resuming_once_and_closes_and_opens_nothing(
    statuses: list[Status], pending: bool, gap: float
) -> None:
    before = session(statuses, pending)
    once = resumed(before, gap)
    assert resumed(once, gap) == once
    assert once.exchanges == before.exchanges
    assert [(s.id, s.closed, s.open) for s in once.slots] == [(s.id, s.closed, s.open) for s in before.slots]
    assert all(now == was for now, was in zip(once.slots, before.slots, strict=True) if was.closed)
