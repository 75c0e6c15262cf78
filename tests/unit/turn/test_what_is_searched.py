"""Which passages a turn shows when the session has seen some before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conversations.domain.search_plan import without_seen

IDS = [f"c{n}" for n in range(9)]


def test_it_drops_what_was_seen_and_does_not_lead():
    assert without_seen(IDS, {"c4", "c5"}, 5) == ["c0", "c1", "c2", "c3", "c6"]


def test_it_keeps_what_was_seen_and_leads_because_the_message_is_about_it():
    assert without_seen(IDS, {"c0", "c4"}, 4) == ["c0", "c1", "c2", "c3"]


def test_it_leaves_the_ranking_alone_when_almost_everything_was_seen():
    assert without_seen(IDS, set(IDS[:8]), 5) == IDS[:5]


@given(st.sets(st.sampled_from(IDS)), st.integers(1, 9))
def test_it_never_reorders_repeats_or_invents(seen, limit):
    shown = without_seen(IDS, seen, limit)
    assert shown == sorted(set(shown), key=IDS.index)
    assert len(shown) <= limit and set(shown) <= set(IDS)
    assert len(shown) >= min(limit, 3)
