"""Finds the nouns that the language library puts in no phrase: "a gift card valid", "what does the Gold tariff give".

What only tells a time or a measure is no subject, and neither is the verb of a question with "does" taken for a noun.
"""

from __future__ import annotations

from collections.abc import Iterable

from conversations.domain.aspects import ATTRIBUTES
from conversations.domain.language import Analysis, Token
from conversations.domain.state import Term
from conversations.domain.vocabulary import words
from conversations.domain.words import DEICTIC_TIME, GENERIC_KEYS, STOP_KEYS, key_of, normalise

LONGEST_TERM = 6
DO = frozenset({"do", "does", "did"})
# Nouns of measure, which are no subject when they stand alone.
_MEASURED = frozenset(
    key for word in DEICTIC_TIME | ATTRIBUTES | words("hour minute second half") for key in normalise(word)
)


def before_its_verb(analysis: Analysis) -> Iterable[tuple[int, Term]]:
    """ "What does the Gold tariff give?" with its verb taken for a noun: the words between article and verb."""
    tokens = analysis.tokens
    asks = any(token.pos == "AUX" and token.lower in DO for token in tokens)
    if not asks or any(tokens[phrase.head].pos in {"NOUN", "PROPN"} for phrase in analysis.phrases):
        return
    nouns = [
        t
        for t in tokens
        if t.pos in {"NOUN", "PROPN", "ADJ"} and t.dep != "ROOT" and t.lower not in STOP_KEYS
    ]
    if nouns and nouns[-1].pos != "ADJ":
        text = analysis.text[nouns[0].start : nouns[-1].end]
        if len(text.split()) == len(nouns) <= LONGEST_TERM and not set(normalise(text)) <= GENERIC_KEYS:
            yield nouns[0].start, Term(text, key_of(text), "topic", any(t.pos == "PROPN" for t in nouns))


def outside_phrases(analysis: Analysis) -> Iterable[tuple[int, Term]]:
    """ "How long is a gift card valid?" with "card valid" taken for one thing: nouns that stand in no phrase."""
    within = {i for phrase in analysis.phrases for i in range(phrase.first, phrase.last + 1)}
    helped = any(token.pos == "AUX" and token.lower in DO for token in analysis.tokens)
    asks = helped or asks_with_do(analysis)
    nouns = [i not in within and _is_thing(t, asks) for i, t in enumerate(analysis.tokens)]
    for first, is_noun in enumerate(nouns):
        if not is_noun or (first and (nouns[first - 1] or analysis.tokens[first - 1].pos == "NUM")):
            continue
        last = next((i for i in range(first, len(nouns)) if not nouns[i]), len(nouns))
        text = analysis.text[analysis.tokens[first].start : analysis.tokens[last - 1].end]
        key = key_of(text)
        if last - first <= LONGEST_TERM and not set(key.split()) <= GENERIC_KEYS | STOP_KEYS | _MEASURED:
            yield analysis.tokens[first].start, Term(text, key)


def _is_thing(token: Token, asks: bool) -> bool:
    """Whether grammar sees a noun that is no time, no exclamation, and not the verb of a question with "does"."""
    if token.pos not in {"NOUN", "PROPN"} or not token.text.isalpha():
        return False
    return token.dep not in {"npadvmod", "intj", "punct"} and not (asks and token.dep == "ROOT")


def asks_with_do(analysis: Analysis) -> bool:
    """Whether "do" or "would" is the helper of the main word, which then is a verb whatever the language library sees in it.

    It may even take "does" for the main word: "Does a gift card expire?".
    """
    first = next(analysis.words(), None)
    if first is not None and first.lower in DO and first.dep == "ROOT":
        return True
    return any(
        (t.lower in DO or t.tag == "MD") and t.dep == "aux" and analysis.tokens[t.head].dep == "ROOT"
        for t in analysis.tokens
    )
