"""Who tries a staged version: the same sessions every time, as many as asked for, and only more when the share grows."""

from __future__ import annotations

from uuid import UUID, uuid4, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.versioning.shares import PLACES, in_share, place_of

SESSIONS = [uuid5(UUID(int=7), str(number)) for number in range(20_000)]


def trying(percent: int, name: str = "scope") -> set[UUID]:
    return {session for session in SESSIONS if in_share(session, "policy", name, percent)}


@pytest.mark.parametrize("percent", [1, 5, 20, 50, 99])
def test_a_share_is_as_large_as_asked_for(percent: int) -> None:
    assert abs(len(trying(percent)) / len(SESSIONS) - percent / 100) < 0.01


@given(st.uuids(), st.integers(0, 100), st.integers(0, 100))
def test_a_share_that_grows_only_adds_sessions(session: UUID, one: int, other: int) -> None:
    smaller, larger = sorted((one, other))
    assert not in_share(session, "policy", "scope", smaller) or in_share(session, "policy", "scope", larger)


def test_nobody_is_in_no_share_and_everybody_in_the_whole() -> None:
    assert trying(0) == set() and trying(100) == set(SESSIONS)


def test_a_sessions_place_is_the_same_in_every_process() -> None:
    session = UUID("0f0e0d0c-0b0a-4908-8706-050403020100")
    assert (place_of(session, "policy", "scope"), place_of(session, "prompt", "answer")) == (
        PLACE,
        OTHER_PLACE,
    )


def test_two_things_tried_at_once_do_not_get_the_same_sessions() -> None:
    both = trying(50) & trying(50, "answer")
    assert 0.23 < len(both) / len(SESSIONS) < 0.27


@given(st.uuids())
def test_every_place_is_one_of_a_hundred(session: UUID) -> None:
    assert 0 <= place_of(session, "policy", str(uuid4())) < PLACES


PLACE, OTHER_PLACE = 20, 89
