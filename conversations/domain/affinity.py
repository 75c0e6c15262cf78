"""How near an earlier exchange is to a message: by meaning, shared words, the passages it lives among, and recency.

The exchange that is meant is the nearest one in scope, not the latest one; this is the largest single gain measured.
Weights were chosen on conversations that share nothing with those they were checked on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from conversations.domain.clipped import is_among
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange
from conversations.domain.vectors import best_cosine, cosine, unpack

WORDS = 0.2
# The bonus of the latest exchange by how many content words the message has: the fewer, the more it leans on recency.
RECENCY = (0.23, 0.19, 0.11, 0.08)
# What the passages of an exchange count in ranking, beside what was said in it: the cosine to the nearest of them, and
# the share of the message's words that they have. Of few content words (none, one, more) they can tell little.
HOME, KNOWN = 2.0, 0.4
TELLING = (0.25, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Affinity:
    """The nearness of one exchange with its parts; `order` adds the bonus for recency that only ranking uses.

    `sentence` is the index of the nearest answer sentence. `home` is the cosine to the nearest of the passages that the
    exchange was answered from, `known` the share of the message's words that they have; 0 where that was not asked.
    """

    turn: int
    total: float
    user: float
    answer: float
    best: float
    words: float
    sentence: int
    order: float
    home: float = 0.0
    known: float = 0.0


def affinity(reading: Reading, exchange: Exchange, distance: int) -> Affinity:
    """`distance` counts exchanges back, 1 for the latest."""
    user = max(cosine(reading.vector, exchange.vector), cosine(reading.vector, unpack(exchange.query_vector)))
    answer = cosine(reading.vector, exchange.answered)
    best, sentence = best_cosine(exchange.sentence_rows, reading.vector)
    spoken = [word for word in reading.things if is_among(word, exchange.words)]
    words = len(spoken) / len(reading.things) if reading.things else 0.0
    meaning = (user + answer + best) / 3 if exchange.answer else user
    total = meaning + WORDS * words
    bonus = RECENCY[min(len(reading.keys), len(RECENCY) - 1)] / distance
    return Affinity(exchange.turn, total, user, answer, best, words, sentence, total + bonus)


def rank(reading: Reading, exchanges: Iterable[Exchange]) -> tuple[Affinity, ...]:
    """The nearest first."""
    newest_first = sorted(exchanges, key=lambda exchange: -exchange.turn)
    scored = [affinity(reading, exchange, distance) for distance, exchange in enumerate(newest_first, 1)]
    return _ordered(scored)


def at_home(
    reading: Reading, ranked: Iterable[Affinity], homes: Mapping[int, float], shares: Mapping[int, float]
) -> tuple[Affinity, ...]:
    """The same ones, nearest first, with what passages say counted in.

    By turn, `homes` are the cosines to the passages of the exchanges, `shares` those of the words that they have.
    """
    found = [replace(a, home=homes.get(a.turn, 0.0), known=shares.get(a.turn, 0.0)) for a in ranked]
    weight = _telling(reading)
    return _ordered(replace(a, order=a.order + weight * (HOME * a.home + KNOWN * a.known)) for a in found)


def _telling(reading: Reading) -> float:
    return TELLING[min(len(reading.keys), len(TELLING) - 1)]


def _ordered(affinities: Iterable[Affinity]) -> tuple[Affinity, ...]:
    return tuple(sorted(affinities, key=lambda item: (-item.order, -item.turn)))
