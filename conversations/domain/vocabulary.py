"""Writes a closed class of words as running text, so that a list of a hundred words can be read and reviewed."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(text.split())
