"""All exchanges of a scenario's session, kept in memory: the archive port without a database."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from conversations.domain.state import ConversationState, Exchange
from conversations.domain.vectors import Vector, cosine

FEW = 6


@dataclass(slots=True)
class HeldArchive:
    """An `Archive` that knows every exchange it was told of, by turn."""

    exchanges: dict[int, Exchange] = field(default_factory=dict)

    def take(self, state: ConversationState) -> None:
        """Keep what the state holds; a later wording of the same turn replaces an earlier one."""
        self.exchanges |= {exchange.turn: exchange for exchange in state.exchanges}

    async def naming(self, keys: Collection[str], before: int) -> tuple[Exchange, ...]:
        about = [e for e in self._before(before) if set(keys) & {t.key for t in (*e.terms, *e.inherited)}]
        return tuple(about[:FEW])

    async def nearest(self, vector: Vector | None, before: int) -> tuple[Exchange, ...]:
        told = [(cosine(vector, e.vector), e) for e in self._before(before)]
        ranked = sorted(told, key=lambda pair: -pair[0])
        return tuple(exchange for _, exchange in ranked[:FEW])

    async def opening(self, count: int) -> tuple[Exchange, ...]:
        return tuple(self._before(count + 1))

    def _before(self, turn: int) -> list[Exchange]:
        """Newest first."""
        return [self.exchanges[n] for n in sorted(self.exchanges, reverse=True) if n < turn]
