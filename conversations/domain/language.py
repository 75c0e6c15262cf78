"""What the engine knows about a piece of text: its words, phrases, names and sentences.

Any language library can stand behind the `Language` port; the rest of the domain reads only these values.
Text that is not English, or not language at all, is marked so that nobody tries to be clever with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Token:
    """One word or sign. `head` is the index of the governing token, `start` a character offset."""

    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    start: int

    @property
    def lower(self) -> str:
        return self.text.lower()

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase as token indices [first, last]; `head` is its noun."""

    first: int
    last: int
    head: int


@dataclass(frozen=True, slots=True)
class Name:
    """A named entity as characters [start, end) with the label of the language library (GPE, ORG, …)."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything the domain may know about a text.

    `language` is "en" for English, "other" for any other language, "none" for text without words.
    `sentences` are character ranges. Only the first part of very long texts is analysed.
    """

    text: str
    tokens: tuple[Token, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    names: tuple[Name, ...] = ()
    sentences: tuple[tuple[int, int], ...] = ()
    language: str = "en"

    def phrase_tokens(self, phrase: Phrase) -> tuple[Token, ...]:
        return self.tokens[phrase.first : phrase.last + 1]

    def sentence_texts(self) -> tuple[str, ...]:
        return tuple(self.text[start:end].strip() for start, end in self.sentences)

    def words(self) -> Iterator[Token]:
        return (token for token in self.tokens if token.pos not in {"PUNCT", "SPACE", "SYM"})


class Language(Protocol):
    """The port: from text to `Analysis`. Deterministic; never raises on any text."""

    def analyse(self, text: str) -> Analysis: ...
