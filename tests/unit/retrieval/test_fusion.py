"""Several rankings become one, by weight and rank."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.domain.fusion import RRF_K, fuse

rankings = st.lists(
    st.tuples(st.floats(0, 5), st.lists(st.integers(0, 9), max_size=8, unique=True)), max_size=4
)


def test_agreement_beats_a_single_first_place():
    assert [key for key, _ in fuse([(1.0, "abc"), (1.0, "cbd")])][:2] == ["c", "b"]


def test_a_heavier_ranking_counts_more():
    assert [key for key, _ in fuse([(1.0, "ab"), (1.5, "ba")])] == ["b", "a"]


def test_the_score_is_the_published_formula():
    assert dict(fuse([(1.5, "ab"), (0.15, "b")]))["b"] == pytest.approx(
        1.5 / (RRF_K + 2) + 0.15 / (RRF_K + 1)
    )


def test_a_weight_of_zero_is_no_ranking():
    assert fuse([(0.0, "abc")]) == []


@given(rankings)
def test_it_ranks_every_key_once_by_falling_score(given_rankings):
    result = fuse(given_rankings)
    keys = [key for key, _ in result]
    scores = [score for _, score in result]
    assert set(keys) == {key for weight, ranked in given_rankings if weight > 0 for key in ranked}
    assert len(keys) == len(set(keys))
    assert scores == sorted(scores, reverse=True)


@given(rankings, st.integers(0, 9))
def test_one_more_vote_never_lowers_a_key(given_rankings, key):
    before = dict(fuse(given_rankings)).get(key, 0.0)
    assert dict(fuse([*given_rankings, (1.0, [key])]))[key] > before
