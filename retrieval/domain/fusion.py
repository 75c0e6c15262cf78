"""Several rankings become one.

A passage earns points from every ranking it stands in, more the higher it stands, and each ranking counts with
its weight. Only positions matter, never raw scores, because scores of different kinds cannot be compared. The
search query in the database computes the same sum; this is its definition.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)

RRF_K = 60
"""Damping constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)."""


def fuse(rankings: Sequence[tuple[float, Sequence[Key]]], *, k: int = RRF_K) -> list[tuple[Key, float]]:
    """Weighted reciprocal rank fusion of `(weight, keys best first)`: score = sum of weight / (k + rank).

    A key repeated inside one ranking counts at its best place. Ties keep the order of first appearance.
    """
    scores: dict[Key, float] = {}
    for weight, keys in rankings:
        if weight <= 0:
            continue
        for rank, key in enumerate(dict.fromkeys(keys), start=1):
            scores[key] = scores.get(key, 0.0) + weight / (k + rank)
    return sorted(scores.items(), key=lambda item: -item[1])
