"""Brings a session's memory up to date between two turns, as the background work of the product does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conversations.domain.classify import Kind
from conversations.domain.corrections import is_correction
from conversations.domain.language import Language
from conversations.domain.liveness import Status
from conversations.domain.memory.correcting import corrected
from conversations.domain.memory.facts import facts_of
from conversations.domain.memory.ledger import record
from conversations.domain.memory.summary import needed_from, rolling_part, summarised
from conversations.domain.memory.values import Memory, SummaryPart
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.words import key_of
from kernel.json import JsonObject

# So many turns later, every turn of a scenario lies beyond the recent ones and is summarised.
LONG_AFTER = 6


@dataclass(frozen=True, slots=True)
class Remembering:
    """The ledger after every turn, and summary parts of what is older than the last turns, by the offline engine."""

    language: Language

    def after(
        self, memory: Memory, exchanges: Sequence[Exchange], state: ConversationState, trace: JsonObject
    ) -> Memory:
        """The memory after the last of `exchanges`, which are all of the session so far, oldest first.

        `state` and `trace` are of that turn.
        """
        last = exchanges[-1]
        analyse = self.language.analyse
        facts = record(
            memory.facts,
            facts_of(last, analyse(last.message), analyse(last.answer)),
            correction=last.kind == Kind.CORRECTION or is_correction(last.message),
            turn=last.turn,
            replaced=replaced_in(state, trace),
        )
        needed = [exchange for exchange in exchanges if exchange.turn >= needed_from(memory.parts)]
        parts = corrected(summarised(memory.parts, needed, last.turn, self._rolling), facts)
        return Memory(parts, facts, covered_by(parts))

    def closed(self, memory: Memory, exchanges: Sequence[Exchange]) -> Memory:
        """The memory of a session that went on for so long that every one of its turns is summarised."""
        needed = [exchange for exchange in exchanges if exchange.turn >= needed_from(memory.parts)]
        parts = summarised(memory.parts, needed, exchanges[-1].turn + LONG_AFTER, self._rolling)
        parts = corrected(parts, memory.facts)
        return replace(memory, parts=parts, covered=covered_by(parts))

    def _rolling(self, exchanges: Sequence[Exchange]) -> SummaryPart:
        return rolling_part(exchanges, self.language.analyse)


def covered_by(parts: Sequence[SummaryPart]) -> int:
    return max((part.last_turn for part in parts), default=0)


def replaced_in(state: ConversationState, trace: JsonObject) -> tuple[tuple[str, str], ...]:
    """(old, new) keys of the entities that lost their role to another one in this turn."""
    slots = {slot.id: slot for slot in state.slots}
    changes = trace.get("memory", {}).get("changes", ())
    gone = [slots.get(change["slot_id"]) for change in changes if change["after"] == Status.SUPERSEDED]
    pairs = [(old, slots.get(old.superseded_by or "")) for old in gone if old is not None]
    return tuple((key_of(old.name), key_of(new.name)) for old, new in pairs if new is not None)
