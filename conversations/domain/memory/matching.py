"""Whether a text names an entity or shares words with a message, quickly over hundreds of remembered texts.

Most texts are ruled out by their letters alone; only the rest is compared as whole words.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from conversations.domain.words import contains_key, key_of


def barred_keys(closed: Set[str], named: Set[str]) -> frozenset[str]:
    """The closed entities that a message does not name, be it as part of a longer name."""
    return frozenset(key for key in closed if key and not any(contains_key(name, key) for name in named))


def names_any(text: str, keys: Iterable[str]) -> bool:
    """Whether a text names one of the entities, as whole words."""
    likely = _likely(text, keys)
    if not likely:
        return False
    text_key = key_of(text)
    return any(contains_key(text_key, key) for key in likely)


def words_shared(text: str, words: Iterable[str]) -> int:
    """How many of the words, given as keys, a text holds."""
    likely = _likely(text, words)
    return len(set(likely) & set(key_of(text).split())) if likely else 0


def _likely(text: str, keys: Iterable[str]) -> list[str]:
    """Keys whose letters stand in the text: a key differs from what was written only at the ends of its words."""
    plain = text.casefold()
    return [key for key in keys if key and all(_stem(word) in plain for word in key.split())]


def _stem(word: str) -> str:
    """What singular and plural have in common."""
    return word[:-1] if len(word) > 2 else word
