"""Tells whether one word is another one misspelt: a letter too many, too few, wrong, or two that changed places.

Short words are too near one another to tell, so only longer ones count, and the first letter must be right.
"""

from __future__ import annotations

from collections.abc import Iterable

SHORTEST = 5


def misspells(keys: Iterable[str], names: Iterable[str], own: Iterable[str]) -> bool:
    """Whether each of the words is one of the names with a slip in it, and is nothing that may be said anyhow."""
    words = [key for key in keys if len(key) >= SHORTEST and key.isalpha()]
    known = tuple(own) if words else ()
    return bool(words) and all(
        any(is_slip(word, name) for name in names)
        and word not in known
        and not any(is_slip(word, other) for other in known)
        for word in words
    )


def is_slip(word: str, other: str) -> bool:
    """Whether two words differ by exactly one letter added, dropped, changed or swapped with its neighbour."""
    if word == other or abs(len(word) - len(other)) > 1 or word[:1] != other[:1] or len(other) < SHORTEST:
        return False
    start = next(
        (i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other))
    )
    left, right = word[start:], other[start:]
    return (
        left[1:] == right
        or left == right[1:]
        or left[1:] == right[1:]
        or (left[:2] == right[1::-1] and left[2:] == right[2:])
    )


def slips(left: str, right: str) -> int:
    """How many letters were added, dropped, changed or swapped with their neighbour between two words."""
    before: list[int] = []
    last = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        row = [i]
        for j, b in enumerate(right, 1):
            least = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        before, last = last, row
    return last[-1]
