"""Turns what happened in a turn into events on the session's slots and lets the liveness machine decide.

The user's mentions, references and picks come first, then replacement, then silence, and last what the answer offers.
Slots that are closed for long make room; how an entity ended stays in the trace.
"""

from __future__ import annotations

from dataclasses import dataclass

from conversations.domain.classify import Classification, Kind
from conversations.domain.contextualize import Contextualized
from conversations.domain.entities import names_slot, ranked_terms
from conversations.domain.language import Analysis
from conversations.domain.liveness import (
    REOPENS,
    Happened,
    Provenance,
    Rules,
    Slot,
    SlotChange,
    SlotEvent,
    Status,
    change,
    open_slot,
    step,
)
from conversations.domain.policy import ScopePolicy
from conversations.domain.reading import Reading
from conversations.domain.replaces import replaced_slots
from conversations.domain.state import ConversationState, Term
from conversations.domain.words import key_of

OFFERS_PER_ANSWER = 8
OFFERED_KEPT = 24
NAMED_PER_MESSAGE = 12


@dataclass(frozen=True, slots=True)
class Updated:
    """Slots after a turn; `held` are the ids of those that the user named or referred to in it."""

    slots: tuple[Slot, ...]
    held: tuple[str, ...]
    changes: tuple[SlotChange, ...]
    next_slot: int


class _Ledger:
    """The slots of one turn while events are applied to them; lives only inside `update_slots`."""

    def __init__(self, state: ConversationState, rules: Rules) -> None:
        self.slots = {slot.id: slot for slot in state.slots}
        self.rules = rules
        self.next = state.next_slot
        self.changes: list[SlotChange] = []

    def find(self, key: str) -> Slot | None:
        """The newest slot of that name: an open one before a closed one."""
        same = [s for s in self.slots.values() if key in {key_of(s.name), *map(key_of, s.aliases)}]
        return next((s for s in reversed(same) if s.open), same[-1] if same else None)

    def apply(self, slot: Slot, event: SlotEvent) -> Slot:
        after = step(slot, event, self.rules)
        self._record(slot, after, event)
        return after

    def open(self, term: Term, event: SlotEvent, recalls: Slot | None = None) -> Slot:
        kept = recalls.type if recalls else term.type
        slot = open_slot(f"s{self.next}", kept, recalls.name if recalls else term.text, event, recalls)
        self.next += 1
        self._record(None, slot, event)
        return slot

    def mention(self, term: Term, event: SlotEvent) -> Slot:
        known = self.find(term.key)
        if known is None:
            return self.open(term, event)
        reopened = known.closed and event.happened in REOPENS
        return self.open(term, event, known) if reopened else self.apply(known, event)

    def _record(self, before: Slot | None, after: Slot, event: SlotEvent) -> None:
        self.slots[after.id] = after
        changed = change(before, after, event)
        if changed:
            self.changes.append(changed)


def update_slots(
    state: ConversationState,
    turn: int,
    reading: Reading,
    classification: Classification,
    contextualized: Contextualized,
    answer: Analysis,
    items: tuple[Term, ...],
    chunks: tuple[str, ...],
    policy: ScopePolicy,
) -> Updated:
    """All events of one turn, in order. Pure: the ledger does not outlive the call."""
    ledger = _Ledger(state, policy.rules)
    held = _user_events(ledger, state, turn, reading, classification, contextualized)
    corrects = classification.kind is Kind.CORRECTION
    for old, new in replaced_slots(reading, classification, contextualized, held, ledger.slots):
        replaced = SlotEvent(Happened.REPLACED, turn, by=new.id, by_type=new.type, taken_back=corrects)
        ledger.apply(old, replaced)
    for slot in tuple(ledger.slots.values()):
        ledger.apply(slot, SlotEvent(Happened.SILENCE, turn))
    _offers(ledger, turn, answer, items, chunks)
    slots = _bounded(tuple(ledger.slots.values()), policy)
    return Updated(slots, held, tuple(ledger.changes), ledger.next)


def _user_events(
    ledger: _Ledger,
    state: ConversationState,
    turn: int,
    reading: Reading,
    classification: Classification,
    contextualized: Contextualized,
) -> tuple[str, ...]:
    if classification.kind is Kind.SMALL_TALK:
        return ()
    source = Provenance(messages=(turn,))
    held = [
        ledger.mention(t, SlotEvent(Happened.NAMED, turn, provenance=source)).id
        for t in (*reading.terms, *contextualized.named)[:NAMED_PER_MESSAGE]
    ]
    for slot in tuple(ledger.slots.values()):
        if (
            slot.open
            and slot.id not in held
            and names_slot(slot.name, slot.type, reading.analysis, reading.text_key)
        ):
            held.append(ledger.apply(slot, SlotEvent(Happened.NAMED, turn, provenance=source)).id)
    for slot_id in contextualized.refers_to:
        referred = ledger.slots.get(slot_id)
        if referred is not None and referred.open and referred.id not in held:
            held.append(ledger.apply(referred, SlotEvent(Happened.REFERRED, turn, provenance=source)).id)
    for key in contextualized.picked:
        held.append(ledger.mention(Term(key, key), SlotEvent(Happened.PICKED, turn, provenance=source)).id)
    return tuple(dict.fromkeys(held))


def _offers(
    ledger: _Ledger, turn: int, answer: Analysis, items: tuple[Term, ...], chunks: tuple[str, ...]
) -> None:
    source = Provenance(answers=(turn,), chunks=chunks)
    for position, item in enumerate(items, 1):
        _offer(ledger, item, SlotEvent(Happened.OFFERED, turn, position=position, provenance=source))
    names = [term for term in ranked_terms(answer, 24) if term.name][:OFFERS_PER_ANSWER]
    for term in names:
        _offer(ledger, term, SlotEvent(Happened.OFFERED, turn, provenance=source))


def _offer(ledger: _Ledger, term: Term, event: SlotEvent) -> None:
    known = ledger.find(term.key)
    if known is None:
        ledger.open(term, event)
    elif known.open:
        ledger.apply(known, event)


def _bounded(slots: tuple[Slot, ...], policy: ScopePolicy) -> tuple[Slot, ...]:
    """The newest closed and offered slots up to their limits; live and stale ones are bounded by the horizons."""
    by_age = sorted(slots, key=lambda slot: -slot.last_mention_turn)
    closed = {slot.id for slot in [s for s in by_age if s.closed][: policy.budgets.closed_slots_kept]}
    offered = {slot.id for slot in [s for s in by_age if s.status is Status.OFFERED][:OFFERED_KEPT]}
    return tuple(
        slot
        for slot in slots
        if slot.status in {Status.LIVE, Status.STALE} or slot.id in closed or slot.id in offered
    )
