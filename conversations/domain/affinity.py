"""How near an earlier exchange is to a message: by meaning, by shared words, and a little by recency.

The exchange that is meant is the nearest one in scope, not the latest one; this is the largest single gain measured.
Weights were chosen on conversations that share nothing with those they were checked on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conversations.domain.reading import Reading
from conversations.domain.state import Exchange
from conversations.domain.vectors import best_cosine, cosine, unpack

WORDS = 0.2
# The bonus of the latest exchange by how many content words the message has: the fewer, the more it leans on recency.
RECENCY = (0.3, 0.25, 0.15, 0.1)


@dataclass(frozen=True, slots=True)
class Affinity:
    """The nearness of one exchange with its parts; `order` adds the bonus for recency that only ranking uses.

    `sentence` is the index of the nearest answer sentence.
    """

    turn: int
    total: float
    user: float
    answer: float
    best: float
    words: float
    sentence: int
    order: float


def affinity(reading: Reading, exchange: Exchange, distance: int) -> Affinity:
    """`distance` counts exchanges back, 1 for the latest."""
    user = max(cosine(reading.vector, exchange.vector), cosine(reading.vector, unpack(exchange.query_vector)))
    answer = cosine(reading.vector, exchange.answered)
    best, sentence = best_cosine(exchange.sentence_rows, reading.vector)
    words = len(reading.things & frozenset(exchange.words)) / len(reading.things) if reading.things else 0.0
    meaning = (user + answer + best) / 3 if exchange.answer else user
    total = meaning + WORDS * words
    bonus = RECENCY[min(len(reading.keys), len(RECENCY) - 1)] / distance
    return Affinity(exchange.turn, total, user, answer, best, words, sentence, total + bonus)


def rank(reading: Reading, exchanges: Iterable[Exchange]) -> tuple[Affinity, ...]:
    """The nearest first."""
    newest_first = sorted(exchanges, key=lambda exchange: -exchange.turn)
    scored = [affinity(reading, exchange, distance) for distance, exchange in enumerate(newest_first, 1)]
    return tuple(sorted(scored, key=lambda item: (-item.order, -item.turn)))
