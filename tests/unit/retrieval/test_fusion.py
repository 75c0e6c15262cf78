"""Several rankings become one, by weight and by the share that a passage has in each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.domain.fusion import RRF_K, by_place, by_score, fuse

places = st.lists(st.integers(0, 9), max_size=8, unique=True).map(by_place)
scored = st.dictionaries(st.integers(0, 9), st.floats(1e-6, 10), max_size=8).map(by_score)
rankings = st.lists(st.tuples(st.floats(0, 5), places | scored), max_size=4)


def test_agreement_beats_a_single_first_place():
    assert [key for key, _ in fuse([(1.0, by_place("abc")), (1.0, by_place("cbd"))])][:2] == ["c", "b"]


def test_a_heavier_ranking_counts_more():
    assert [key for key, _ in fuse([(1.0, by_place("ab")), (1.5, by_place("ba"))])] == ["b", "a"]


def test_a_share_by_place_is_the_published_formula():
    assert by_place("ab") == {"a": 1.0, "b": pytest.approx((RRF_K + 1) / (RRF_K + 2))}
    assert by_place("aba") == by_place("ab")


def test_a_score_counts_beside_the_best_one():
    assert by_score({"a": 0.08, "b": 0.02}) == {"a": 1.0, "b": 0.25}
    assert by_score({}) == {}


def test_few_words_hardly_lift_a_passage_and_many_do():
    """By place the second of the words would be worth nearly as much as the first, however few it holds."""
    meaning = by_place("abcdefgh")
    fused = [key for key, _ in fuse([(1.0, meaning), (0.3, by_score({"h": 1.0, "g": 0.1}))])]
    assert fused == list("habcdgef")
    assert [key for key, _ in fuse([(1.0, meaning), (0.3, by_place("hg"))])][:2] == ["g", "h"]


def test_a_weight_of_zero_is_no_ranking():
    assert fuse([(0.0, by_place("abc"))]) == []


@given(rankings)
def test_it_ranks_every_key_once_by_falling_score(given_rankings):
    result = fuse(given_rankings)
    keys = [key for key, _ in result]
    scores = [score for _, score in result]
    assert set(keys) == {key for weight, shares in given_rankings if weight > 0 for key in shares}
    assert len(keys) == len(set(keys))
    assert scores == sorted(scores, reverse=True)


@given(rankings, st.integers(0, 9))
def test_one_more_vote_never_lowers_a_key(given_rankings, key):
    before = dict(fuse(given_rankings)).get(key, 0.0)
    assert dict(fuse([*given_rankings, (1.0, by_place([key]))]))[key] > before
