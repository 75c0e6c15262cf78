"""Where on the conversation page an exchange stands: the core counts finished exchanges, people count messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from admin_ui.components.timeline import Remembered


@dataclass(frozen=True, slots=True)
class Place:
    """A turn as people count it, its column on the axis (from 1), and a link to it (empty when it is gone)."""

    n: int
    column: int
    url: str = ""

    @property
    def facts_url(self) -> str:
        """A link to what the ledger holds of the turn."""
        return self.url.replace("#turn-", "#facts-")


@dataclass(frozen=True, slots=True)
class Places:
    """Turns found by their own number, and by the number of the exchange that they became."""

    turns: Mapping[int, Place] = field(default_factory=dict)
    exchanges: Mapping[int, Place] = field(default_factory=dict)
    carriers: Mapping[int, Place] = field(default_factory=dict)

    @classmethod
    def of(cls, turns: Sequence[Remembered]) -> Places:
        places = {turn.n: Place(turn.n, column, turn.url) for column, turn in enumerate(turns, 1)}
        exchanges = {int(turn.memory["turn"]): places[turn.n] for turn in turns if turn.memory}
        carriers = {turn.n: places[turn.joined_to] for turn in turns if turn.joined_to in places}
        return cls(places, exchanges, carriers)

    def turn(self, n: int) -> Place:
        return self.turns.get(n) or Place(n, min(n, max(len(self.turns), 1)))

    def exchange(self, number: int) -> Place:
        """Of a turn whose trace is lost, the number is taken for its own."""
        return self.exchanges.get(number) or self.turn(number)

    def carrier(self, n: int) -> Place | None:
        """The turn that a message was answered together with."""
        return self.carriers.get(n)
