"""When a term occurs in a text: as consecutive whole words, whatever the case, with a light plural strip."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")
_SIBILANTS = frozenset("sxz")


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in their form for comparing: "Keys" and "key" are one, "bus" stays."""
    return tuple(_singular(word) for word in _WORD.findall(text.casefold().replace("’", "'")))


def contains_term(text: str, term: str) -> bool:
    """Whether the words of `term` follow one another somewhere in `text`. A term without words is never there."""
    return contains_words(words_of(text), words_of(term))


def contains_words(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    size = len(wanted)
    return size > 0 and any(words[at : at + size] == wanted for at in range(len(words) - size + 1))


def folded(text: str) -> str:
    """Text with every run of white space as one space: how a quote is looked for in a passage."""
    return " ".join(text.split())


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith("es") and word[-3] in _SIBILANTS:
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
