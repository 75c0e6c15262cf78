"""What a session keeps beyond its last turns: a summary in parts, a ledger of facts, an archive of every exchange.

Parts and facts say which entities they speak of, so that what is about a closed entity can be left out of a turn.
A correction replaces a fact and keeps the old one, which nobody is shown again but the audit.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """How far a summary part is condensed: a stretch of turns, or a stretch of such stretches."""

    ROLLING = 1
    DEEP = 2


@dataclass(frozen=True, slots=True)
class SummaryPart:
    """What was said from `first_turn` to `last_turn`, in whole sentences.

    `entities` are keys (`words.key_of`) of everything the part names; `chunks` are what its answers rest on.
    `engine` is "offline" or the label of the model that wrote it.
    """

    first_turn: int
    last_turn: int
    text: str
    level: Level = Level.ROLLING
    entities: tuple[str, ...] = ()
    chunks: tuple[str, ...] = ()
    engine: str = "offline"


@dataclass(frozen=True, slots=True)
class Fact:
    """Something said that must survive word for word: a number, a name, a decision.

    `entity` is what it is about as written, `key` that entity's key. `fact` is the statement, `attribute` the key
    of what it states of the entity ("rpo"), `value` the number, name or decision. `said_by` is "user" or
    "assistant"; `chunks` are the passages an answer cited for it. `replaced_in` is the turn of the correction that
    took its place, 0 while it holds.
    """

    entity: str
    key: str
    fact: str
    value: str
    turn: int
    attribute: str = ""
    said_by: str = "assistant"
    kind: str = "number"
    chunks: tuple[str, ...] = ()
    replaced_in: int = 0

    @property
    def holds(self) -> bool:
        return not self.replaced_in


@dataclass(frozen=True, slots=True)
class Memory:
    """What a turn can draw on beside its state. `covered` is the last turn that summary and ledger know of."""

    parts: tuple[SummaryPart, ...] = ()
    facts: tuple[Fact, ...] = ()
    covered: int = 0
