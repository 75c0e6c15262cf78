"""A return that names what it goes back to: "the recall. Where can the power bank be handed in?".

Where it calls that as it was called before, the question stands on its own. By another name ("the camera test" for a
gastroscopy) the documents may not know it, so that what the exchange itself was about comes along.
"""

from __future__ import annotations

import re

from conversations.domain.clipped import is_among, stands_for
from conversations.domain.pointing import holding_described
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange, Term
from conversations.domain.vocabulary import words
from conversations.domain.words import GENERIC_KEYS, STOP_KEYS, key_of

# Words of content that make what follows a name a question of its own.
ASKED_CONTENT = 2
_NAME = re.compile(r"^[^.:;,?!–—]{1,60}(?:[.:;,?!–—]|\s-\s)\s*")
# What says for how long, and not what: "the test for a moment".
_BRIEFLY = words("moment second sec minute min bit while again earlier before quickly first")
# Letters by which "resell" and "reseller" are the same thing.
_STEM = 5


def asks_after_name(reading: Reading) -> bool:
    """Whether a return names its subject and asks a whole question behind it."""
    if not reading.cue.named or reading.strong:
        return False
    after = _NAME.sub("", reading.core, count=1)
    said = set(key_of(after).split()) - STOP_KEYS
    return after != reading.core and len(said & reading.keys) >= ASKED_CONTENT


def spoken_of_so(reading: Reading, exchanges: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    """The exchanges that a message points at by a word that fell in them; none where it says no such word.

    For a return that names its subject it is the noun of that name, else "the increase" and "that heavy case".
    """
    named = _named(reading) if reading.cue.named else frozenset()
    return tuple(e for e in exchanges if _falls(named, e)) or holding_described(reading, exchanges)


def called_otherwise(reading: Reading, exchange: Exchange) -> bool:
    """Whether a return gives its subject a name whose noun did not fall in the exchange that it goes back to."""
    named = _named(reading)
    return bool(named) and not _falls(named, exchange)


def clipped_from(reading: Reading, exchange: Exchange) -> tuple[Term, ...]:
    """What the name of a return is short for: the physiotherapy of "the physio"."""
    named = _named(reading) if reading.cue.named else frozenset()
    said = (*exchange.terms, *exchange.inherited)
    return tuple(t for t in said if any(stands_for(word, full) for word in named for full in t.key.split()))[
        :1
    ]


def _named(reading: Reading) -> frozenset[str]:
    """The noun of the name of what a return goes back to, as it is written and as it stands in a dictionary."""
    match = _NAME.match(reading.core)
    end = match.end() if match else 0
    nouns = [
        frozenset((*key_of(t.text).split(), *key_of(t.lemma).split()))
        for t in reading.analysis.tokens
        if t.start < end and t.pos in {"NOUN", "PROPN", "VERB"} and not _says_little(t.text)
    ]
    return nouns[-1] if nouns else frozenset()


def _falls(named: frozenset[str], exchange: Exchange) -> bool:
    said = {*exchange.words, *key_of(f"{exchange.message} {exchange.query}").split()}
    return any(is_among(word, said) or _is_of(word, said) for word in named)


def _says_little(text: str) -> bool:
    return set(key_of(text).split()) <= GENERIC_KEYS | STOP_KEYS | _BRIEFLY


def _is_of(word: str, said: set[str]) -> bool:
    """Whether one of the words is of the same stem."""
    return len(word) >= _STEM and any(other.startswith(word[:_STEM]) for other in said)
