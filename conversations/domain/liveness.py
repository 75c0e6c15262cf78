"""Decides what the user still means: every entity of a session is live, stale, superseded, evicted or offered.

Silence is counted for each entity from its own last mention by the user; what the assistant repeats counts for nothing.
Once an entity is superseded or evicted it stays so, and naming it again opens a new slot linked to the old one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from kernel.json import JsonObject

_T = TypeVar("_T")


class Status(StrEnum):
    OFFERED = "offered"
    LIVE = "live"
    STALE = "stale"
    SUPERSEDED = "superseded"
    EVICTED = "evicted"


CLOSED = frozenset({Status.SUPERSEDED, Status.EVICTED})
OPEN = frozenset({Status.LIVE, Status.STALE, Status.OFFERED})


class Happened(StrEnum):
    """What can happen to one entity in one turn."""

    NAMED = "named"  # the user names it
    REFERRED = "referred"  # the user refers to it: a pronoun, or something distinctive said about it
    PICKED = "picked"  # the user picks it from what was offered: "the second one"
    OFFERED = "offered"  # only the assistant names it
    REPLACED = "replaced"  # another entity of its type takes its role: a single-valued one, or one taken back
    SILENCE = "silence"  # a user turn passes without it


# The machine, reviewed as data. A pair that is missing changes nothing.
# SILENCE is guarded by the horizons: the first target whose horizon is reached is taken.
TABLE: Mapping[tuple[Status, Happened], Status] = {
    (Status.OFFERED, Happened.NAMED): Status.LIVE,
    (Status.OFFERED, Happened.REFERRED): Status.LIVE,
    (Status.OFFERED, Happened.PICKED): Status.LIVE,
    (Status.OFFERED, Happened.SILENCE): Status.EVICTED,
    (Status.LIVE, Happened.NAMED): Status.LIVE,
    (Status.LIVE, Happened.REFERRED): Status.LIVE,
    (Status.LIVE, Happened.PICKED): Status.LIVE,
    (Status.LIVE, Happened.SILENCE): Status.STALE,
    (Status.LIVE, Happened.REPLACED): Status.SUPERSEDED,
    (Status.STALE, Happened.NAMED): Status.LIVE,
    (Status.STALE, Happened.REFERRED): Status.LIVE,
    (Status.STALE, Happened.PICKED): Status.LIVE,
    (Status.STALE, Happened.SILENCE): Status.EVICTED,
    (Status.STALE, Happened.REPLACED): Status.SUPERSEDED,
}
# What opens a new slot for an entity that is closed.
REOPENS = frozenset({Happened.NAMED, Happened.PICKED})
# How sure it is that the user means an entity, by the surest way in which they brought it up.
CONFIDENCE: Mapping[Happened, float] = {
    Happened.NAMED: 1.0,
    Happened.PICKED: 1.0,
    Happened.REFERRED: 0.7,
    Happened.OFFERED: 0.3,
}
_MENTIONS = frozenset({Happened.NAMED, Happened.REFERRED, Happened.PICKED})


@dataclass(frozen=True, slots=True)
class Horizons:
    """User turns of silence after which a slot changes. `per_type` overrides (stale_after, evict_after)."""

    stale_after: int = 3
    evict_after: int = 8
    per_type: tuple[tuple[str, int, int], ...] = ()

    def of(self, slot_type: str) -> tuple[int, int]:
        for name, stale, evict in self.per_type:
            if name == slot_type:
                return stale, evict
        return self.stale_after, self.evict_after

    def to_json(self) -> JsonObject:
        return {
            "stale_after": self.stale_after,
            "evict_after": self.evict_after,
            "per_type": {name: [stale, evict] for name, stale, evict in self.per_type},
        }

    @classmethod
    def from_json(cls, data: JsonObject) -> Horizons:
        per_type = tuple((name, int(a), int(b)) for name, (a, b) in sorted(data.get("per_type", {}).items()))
        return cls(int(data.get("stale_after", 3)), int(data.get("evict_after", 8)), per_type)


@dataclass(frozen=True, slots=True)
class Provenance:
    """What named an entity: turns whose user message did, turns whose answer did, and chunks shown then."""

    messages: tuple[int, ...] = ()
    answers: tuple[int, ...] = ()
    chunks: tuple[str, ...] = ()

    def merged(self, other: Provenance) -> Provenance:
        return Provenance(
            _union(self.messages, other.messages),
            _union(self.answers, other.answers),
            _union(self.chunks, other.chunks),
        )


@dataclass(frozen=True, slots=True)
class Slot:
    """One typed entity of a session. Turns count user turns from 1.

    `notes` are what was said about it and holds. They are read from the fact ledger anew at every turn and never
    stored, so that a correction and a permission that was taken away count at once. `confidence`: see `CONFIDENCE`.
    """

    id: str
    type: str
    name: str
    status: Status
    introduced_turn: int
    last_mention_turn: int
    aliases: tuple[str, ...] = ()
    role: str = ""
    superseded_by: str | None = None
    recalls: str | None = None
    position: int | None = None
    provenance: Provenance = Provenance()
    notes: tuple[str, ...] = ()
    confidence: float = 1.0

    @property
    def open(self) -> bool:
        return self.status in OPEN

    @property
    def closed(self) -> bool:
        return self.status in CLOSED


@dataclass(frozen=True, slots=True)
class SlotEvent:
    """Something that happened to one entity. `by` and `by_type` tell who replaced it.

    `taken_back`: the user corrected themselves ("sorry, I meant …"), which closes it however many of its type may live.
    """

    happened: Happened
    turn: int
    by: str | None = None
    by_type: str | None = None
    taken_back: bool = False
    alias: str | None = None
    position: int | None = None
    provenance: Provenance = Provenance()


@dataclass(frozen=True, slots=True)
class SlotChange:
    """One transition, for the trace and the slot timeline."""

    slot_id: str
    name: str
    type: str
    before: Status | None
    after: Status
    happened: Happened
    turn: int


@dataclass(frozen=True, slots=True)
class Rules:
    """The policy the machine runs under: horizons, and the types of which one value holds at a time."""

    horizons: Horizons = field(default_factory=Horizons)
    single_valued: frozenset[str] = frozenset()


def step(slot: Slot, event: SlotEvent, rules: Rules) -> Slot:
    """The slot after the event. Pure; closed slots come back unchanged."""
    target = TABLE.get((slot.status, event.happened))
    if target is None:
        return _noted(slot, event)
    if event.happened is Happened.SILENCE:
        return _silenced(slot, event, rules, target)
    if event.happened is Happened.REPLACED:
        return _replaced(slot, event, rules, target)
    return replace(
        _noted(slot, event),
        status=target,
        last_mention_turn=max(slot.last_mention_turn, event.turn),
        aliases=_union(slot.aliases, (event.alias,)) if event.alias else slot.aliases,
        confidence=max(slot.confidence, CONFIDENCE[event.happened]),
    )


def open_slot(slot_id: str, slot_type: str, name: str, event: SlotEvent, recalls: Slot | None = None) -> Slot:
    """A first slot for an entity, or a new one for a closed entity that the user names again."""
    status = Status.OFFERED if event.happened is Happened.OFFERED else Status.LIVE
    return Slot(
        id=slot_id,
        type=slot_type,
        name=name,
        status=status,
        introduced_turn=event.turn,
        last_mention_turn=event.turn,
        aliases=recalls.aliases if recalls else (),
        recalls=recalls.id if recalls else None,
        position=event.position,
        provenance=recalls.provenance.merged(event.provenance) if recalls else event.provenance,
        confidence=CONFIDENCE.get(event.happened, 1.0),
    )


def change(before: Slot | None, after: Slot, event: SlotEvent) -> SlotChange | None:
    """The transition between two states of a slot, or None when its status stayed."""
    old = before.status if before else None
    if old == after.status:
        return None
    return SlotChange(after.id, after.name, after.type, old, after.status, event.happened, event.turn)


def _silenced(slot: Slot, event: SlotEvent, rules: Rules, target: Status) -> Slot:
    stale_after, evict_after = rules.horizons.of(slot.type)
    silence = event.turn - slot.last_mention_turn
    if slot.status is not Status.OFFERED and silence >= evict_after > stale_after:
        return replace(slot, status=Status.EVICTED)
    horizon = evict_after if target is Status.EVICTED else stale_after
    return replace(slot, status=target) if silence >= horizon else slot


def _replaced(slot: Slot, event: SlotEvent, rules: Rules, target: Status) -> Slot:
    alone = event.taken_back or slot.type in rules.single_valued
    narrow = event.by_type == slot.type and alone and event.by != slot.id
    return replace(slot, status=target, superseded_by=event.by) if narrow else slot


def _noted(slot: Slot, event: SlotEvent) -> Slot:
    if event.happened in _MENTIONS or event.happened is Happened.OFFERED:
        position = event.position if event.position is not None else slot.position
        return replace(slot, provenance=slot.provenance.merged(event.provenance), position=position)
    return slot


def _union(old: tuple[_T, ...], new: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys((*old, *new)))
