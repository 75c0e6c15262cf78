"""Which fault meets which part next: cards dealt from a shuffled deck, so that every one comes up and none is forgotten."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

PARTS = ("web", "worker", "postgres", "valkey", "model")
FAULTS = ("killed", "paused", "slow")


@dataclass(frozen=True, order=True, slots=True)
class Card:
    """One fault of one part."""

    part: str
    fault: str

    def __str__(self) -> str:
        return f"{self.part} {self.fault}"


def cards(disks: Iterable[Card] = (), *, only: str = "") -> tuple[Card, ...]:
    """Every fault of every part and those of disks that can be done here; with `only`, those whose words hold it."""
    processes = (Card(part, fault) for part in PARTS for fault in FAULTS)
    return tuple(card for card in (*processes, *disks) if only in str(card))


class Deck:
    """Deals its cards in random order, and shuffles anew when it has run out; the same order for the same seed."""

    def __init__(self, cards: Iterable[Card], seed: int) -> None:
        self._cards = tuple(cards)
        self._random = random.Random(seed)
        self._left: list[Card] = []
        self.counts: Counter[Card] = Counter(dict.fromkeys(self._cards, 0))

    def deal(self) -> Card:
        """The next card, which counts from now on."""
        if not self._left:
            self._left = self._random.sample(self._cards, len(self._cards))
        card = self._left.pop()
        self.counts[card] += 1
        return card

    @property
    def was_dealt(self) -> bool:
        """Whether every card has come up."""
        return all(self.counts.values())
