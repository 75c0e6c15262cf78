"""Chooses the fewest and shortest sentences that together keep everything that must survive.

This is weighted set cover; the greedy choice by items kept for each character is the known best cheap way.
A second pass drops what later choices made needless.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def cover(items: Sequence[Set[T]], costs: Sequence[int]) -> tuple[int, ...]:
    """Indices, in order, of sentences that together hold every item of all. Greedy (Chvátal 1979), then thinned."""
    missing: set[T] = {item for held in items for item in held}
    chosen: list[int] = []
    while missing:
        best = max(
            range(len(items)), key=lambda i: (len(items[i] & missing) / max(costs[i], 1), -costs[i], -i)
        )
        chosen.append(best)
        missing -= items[best]
    return tuple(sorted(_thinned(chosen, items, costs)))


def _thinned(chosen: list[int], items: Sequence[Set[T]], costs: Sequence[int]) -> list[int]:
    kept = list(chosen)
    for index in sorted(chosen, key=lambda i: (-costs[i], i)):
        others = {item for i in kept if i != index for item in items[i]}
        if items[index] <= others:
            kept.remove(index)
    return kept
