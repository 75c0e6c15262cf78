"""Several rankings become one.

A passage earns a share, at most 1, of the weight of every ranking that it stands in. Of a ranking by meaning it earns
by its place: cosines of different models cannot be compared, and those of one model lie close together. Of a ranking
by words it earns by its score beside the best one: a passage that holds three of a question's words is no runner-up of
one that holds six, and where none holds more than "the price", that is nothing to rank by. The search query in the
database computes the same sum; this is its definition.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)

RRF_K = 60
"""Damping constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)."""


def by_place(keys: Sequence[Key], *, k: int = RRF_K) -> dict[Key, float]:
    """Shares of keys, best first: (k + 1) / (k + place). A key repeated counts at its best place."""
    return {key: (k + 1) / (k + place) for place, key in enumerate(dict.fromkeys(keys), start=1)}


def by_score(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Shares of keys by positive scores: score / highest score."""
    best = max(scores.values(), default=1.0)
    return {key: score / best for key, score in scores.items()}


def fuse(rankings: Sequence[tuple[float, Mapping[Key, float]]]) -> list[tuple[Key, float]]:
    """Keys by falling sum of weight * share over rankings of `(weight, shares)`.

    Weights of 0 and below count for nothing. Ties keep the order of first appearance.
    """
    scores: dict[Key, float] = {}
    for weight, shares in rankings:
        if weight <= 0:
            continue
        for key, share in shares.items():
            scores[key] = scores.get(key, 0.0) + weight * share
    return sorted(scores.items(), key=lambda item: -item[1])
