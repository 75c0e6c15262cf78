"""What memory adds to a turn: exchanges brought back from the archive, and notes, summary and facts for the answer.

The archive is asked only when the message names something that has left the session's state, or points back.
Nothing about a closed entity that the message does not name, and nothing the person may no longer see, comes along.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace

from conversations.domain.affinity import rank
from conversations.domain.classify import Classification, Kind
from conversations.domain.contextualize import Contextualized
from conversations.domain.cues import CueKind
from conversations.domain.marks import Mark
from conversations.domain.memory.values import Memory
from conversations.domain.reading import Reading
from conversations.domain.scope import Scope
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.window import Background
from conversations.domain.words import key_of

RECALLED = 3
CARRIED = 2
EARLY = 4


@dataclass(frozen=True, slots=True)
class Sought:
    """What to ask the archive for: exchanges about `keys` before turn `before`, or the nearest `by_meaning`."""

    keys: frozenset[str]
    by_meaning: bool
    before: int


def seek(reading: Reading, state: ConversationState) -> Sought | None:
    """What the message asks of the archive; None when everything it can mean is in the state."""
    before = state.exchanges[0].turn if state.exchanges else 0
    if before <= 1 or reading.analysis.language != "en":
        return None
    points_back = reading.cue.kind is CueKind.RETURN or reading.has(Mark.RECALLS)
    at_hand = {key_of(slot.name) for slot in state.slots if slot.open}
    named = {term.key for term in reading.terms if (term.name or points_back) and term.key not in at_hand}
    return Sought(frozenset(named), points_back, before) if named or points_back else None


def with_recalled(state: ConversationState, reading: Reading, found: Sequence[Exchange]) -> ConversationState:
    """The state with the exchanges found that are nearest to the message, ahead of its own."""
    known = {exchange.turn for exchange in state.exchanges}
    near = rank(reading, [exchange for exchange in found if exchange.turn not in known])[:RECALLED]
    turns = {item.turn for item in near}
    recalled = tuple(sorted((e for e in found if e.turn in turns), key=lambda e: e.turn))
    return replace(
        state,
        exchanges=(*recalled, *state.exchanges),
        recalled=tuple(exchange.turn for exchange in recalled),
    )


def chunks_of_memory(memory: Memory) -> frozenset[str]:
    """Every chunk that summary and facts rest on: what to ask permission for."""
    of_parts = {chunk for part in memory.parts for chunk in part.chunks}
    return frozenset(of_parts | {chunk for fact in memory.facts for chunk in fact.chunks})


def permitted_memory(memory: Memory, permitted: Set[str]) -> Memory:
    """Memory without what rests on passages that may not be seen now. A person's own statements stay their own."""
    parts = tuple(part for part in memory.parts if set(part.chunks) <= permitted)
    facts = tuple(f for f in memory.facts if not f.chunks or set(f.chunks) & permitted)
    return replace(memory, parts=parts, facts=facts)


def goes_on_with(reading: Reading, classification: Classification, scope: Scope) -> tuple[str, ...]:
    """Chunks in hand that a message without words of its own is about: "why?", "tell me more", "yes"."""
    asks_for_more = classification.kind is Kind.ANSWER_TO_QUESTION or reading.has(Mark.COMMENT)
    if scope.antecedent is None or not (asks_for_more or not reading.keys):
        return ()
    return scope.antecedent.chunks[:CARRIED]


def background(
    reading: Reading,
    classification: Classification,
    contextualized: Contextualized,
    state: ConversationState,
    memory: Memory,
    *,
    gap: float,
    count: Callable[[str], int],
) -> Background:
    """Notes, summary and facts for this answer. `gap` is the pause in seconds that this message ended, 0 for none."""
    return Background()


def nothing_new(novelty: float | None, classification: Classification, state: ConversationState) -> bool:
    """Whether a search brought only what was shown before although the topic is young: a sign of a stuck search."""
    if novelty is None or novelty > 0 or classification.kind in {Kind.TOPIC_RETURN, Kind.CORRECTION}:
        return False
    topic = state.topic
    return topic is not None and topic.last_turn - topic.first_turn < EARLY


def resumed(state: ConversationState, gap: float, after: float) -> ConversationState:
    return state
