"""Takes out of a turn what rests only on documents that the user may no longer see.

An entity carries where it came from; it may be used while at least one of its sources may be seen.
Permissions count as they are now, not as they were when the entity was first named.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace

from conversations.domain.classify import Evidence
from conversations.domain.liveness import Slot
from conversations.domain.reading import Reading
from conversations.domain.repair import without_phrases
from conversations.domain.state import ConversationState, Exchange, Term
from conversations.domain.verdicts import Action, Objection, Ruling, Verdict
from conversations.domain.words import contains_key, key_of


@dataclass(frozen=True, slots=True)
class Revocation:
    """What must go: slots, and turns whose answers rest on nothing that may still be seen."""

    slots: tuple[Slot, ...] = ()
    turns: tuple[int, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for slot in self.slots for name in (slot.name, *slot.aliases)))


def chunks_of(state: ConversationState) -> frozenset[str]:
    """Every chunk that the session's slots and answers rest on: what to ask permission for."""
    shown = {chunk for exchange in state.exchanges for chunk in exchange.chunks}
    return frozenset(shown | {chunk for slot in state.slots for chunk in slot.provenance.chunks})


def revoke(state: ConversationState, permitted: Set[str]) -> Revocation:
    """What of the session rests only on chunks outside `permitted`.

    A user's own words are their own: an entity that the user brought up is never revoked.
    """
    slots = tuple(slot for slot in state.slots if _revoked(slot, permitted))
    turns = tuple(e.turn for e in state.exchanges if e.chunks and not set(e.chunks) & permitted)
    return Revocation(slots, turns)


def authorize(
    ruling: Ruling, revocation: Revocation, reading: Reading, added: tuple[Term, ...] = ()
) -> Ruling:
    """The ruling without revoked names; the message's own words stay."""
    query_key = key_of(ruling.query)
    at_fault = tuple(
        name
        for name in revocation.names
        if contains_key(query_key, key_of(name)) and not contains_key(reading.text_key, key_of(name))
    )
    if not at_fault:
        return ruling
    shorter = without_phrases(ruling.query, at_fault)
    query, action = (shorter, Action.REPAIRED) if shorter else (reading.core, Action.FELL_BACK)
    objections = tuple(
        Objection(Verdict.REVOKED, n, "every source of it is closed to the user") for n in at_fault
    )
    evidence = tuple(Evidence("revoked", name) for name in at_fault)
    return replace(
        ruling,
        query=query,
        verdict=Verdict.REVOKED,
        action=action,
        objections=(*ruling.objections, *objections),
        offending=(*ruling.offending, *at_fault),
        evidence=(*ruling.evidence, *evidence),
        display=query,
    )


def visible(state: ConversationState, revocation: Revocation) -> ConversationState:
    """The state without revoked slots and answers: what scope, prompts and answers may be built from."""
    gone = {slot.id for slot in revocation.slots}
    exchanges = tuple(_cleared(e, revocation) if e.turn in revocation.turns else e for e in state.exchanges)
    return replace(state, slots=tuple(s for s in state.slots if s.id not in gone), exchanges=exchanges)


def _revoked(slot: Slot, permitted: Set[str]) -> bool:
    source = slot.provenance
    return not source.messages and bool(source.chunks) and not set(source.chunks) & permitted


def _cleared(exchange: Exchange, revocation: Revocation) -> Exchange:
    """The user's own turn without the answer and what came from it."""
    return replace(
        exchange,
        answer="",
        answer_terms=(),
        items=(),
        sentences=(),
        words=tuple(key_of(exchange.message).split()),
        inherited=(),
        query=exchange.message,
        chunks=(),
        answer_vector=b"",
        sentence_vectors=b"",
        query_vector=b"",
    )
