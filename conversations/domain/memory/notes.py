"""Writes the short notes that a turn gets beside its question: resumed after a pause, corrected, said about a thing.

Notes are plain sentences for the model and for people alike.
What has been said about an entity makes it recognisable by more than its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from conversations.domain.liveness import Slot, Status
from conversations.domain.memory.matching import names_any
from conversations.domain.memory.values import Fact
from conversations.domain.state import ConversationState
from conversations.domain.words import contains_key, key_of

NOTES_KEPT = 8
MEANT = frozenset({Status.LIVE, Status.STALE})
TERMS_TOLD = 4
_UNITS = ((86_400.0 * 7, "week"), (86_400.0, "day"), (3_600.0, "hour"), (60.0, "minute"))


def resume_note(gap_seconds: float, terms: Sequence[str]) -> str:
    """How long ago the conversation paused and what it was last about; `terms` are those of its last topic."""
    named = list(dict.fromkeys(term.strip() for term in terms if term.strip()))[:TERMS_TOLD]
    about = f" It was last about {_listed(named)}." if named else ""
    return f"This conversation continues after {pause(gap_seconds)}.{about}"


def pause(seconds: float) -> str:
    """A pause in words, in its largest whole unit: "3 days"; weeks count from two on."""
    for size, name in _UNITS:
        count = int(seconds // size)
        if count >= (2 if name == "week" else 1):
            return f"{count} {name}{'' if count == 1 else 's'}"
    return "less than a minute"


def correction_note(replaced: Sequence[tuple[str, str]] = (), message: str = "") -> str:
    """What a correction changed, as (old, new) values as written; else the correcting message itself. May be empty."""
    pairs = [(old, new) for old, new in replaced if new and key_of(old) != key_of(new)]
    if pairs:
        told = "; ".join(f"{new} instead of {old}" if old else new for old, new in pairs)
        return f"The user corrected what was said before: {told}. Use the corrected value."
    said = " ".join(message.split())
    return (
        f"The user corrects what was said before: “{said}” This counts, not the earlier value."
        if said
        else ""
    )


def corrected_pairs(facts: Iterable[Fact], turn: int) -> tuple[tuple[str, str], ...]:
    """(old, new) values of the user's facts that a turn replaced, for `correction_note`."""
    known = list(facts)
    new = [fact for fact in known if fact.turn == turn and fact.said_by == "user" and fact.holds]
    old = [f for f in known if f.replaced_in == turn and f.said_by == "user" and f.turn < turn]
    decided = [fact for fact in old if fact.kind == "decision"]
    pairs = ((fact.value, _taker(fact, new)) for fact in decided or old)
    return tuple(dict.fromkeys((was, now) for was, now in pairs if now))


def _taker(old: Fact, new: Sequence[Fact]) -> str:
    same = (fact.value for fact in new if (fact.key, fact.attribute) == (old.key, old.attribute))
    return next(same, next((fact.value for fact in new if fact.kind == old.kind), ""))


def with_notes(state: ConversationState, facts: Sequence[Fact], text_key: str) -> ConversationState:
    """The state with what the ledger knows of everything that the user still means.

    `facts` are those that the person may see, `text_key` is the message's key. What names something closed that the
    message does not name is no note.
    """
    shut = {key_of(slot.name) for slot in state.slots if slot.closed} - _meant(state)
    barred = [key for key in shut if not contains_key(text_key, key)]
    told = [fact for fact in facts if fact.holds and not names_any(f"{fact.entity} | {fact.fact}", barred)]
    slots = (replace(s, notes=slot_notes(told, s)) if s.status in MEANT else s for s in state.slots)
    return replace(state, slots=tuple(slots))


def _meant(state: ConversationState) -> frozenset[str]:
    return frozenset(key_of(slot.name) for slot in state.slots if slot.status in MEANT)


def slot_notes(facts: Iterable[Fact], slot: Slot) -> tuple[str, ...]:
    """What has been said about an entity and holds, newest first, without repeats.

    A statement belongs to an entity when it is said of it or names it; what is said of Tollin is said of the Tollin
    basin.
    """
    keys = [key for key in map(key_of, (slot.name, *slot.aliases)) if key]
    proper = key_of(proper_part(slot.name))
    own = [f for f in facts if f.holds and (f.key == proper or any(_tells_of(f, key) for key in keys))]
    newest = sorted(own, key=lambda fact: -fact.turn)
    return tuple(dict.fromkeys(fact.fact for fact in newest))[:NOTES_KEPT]


def proper_part(name: str) -> str:
    """The proper name in the name of a thing with its kind, "Tollin" of "Tollin basin"; empty where there is none."""
    *words, kind = name.split() or [""]
    return " ".join(word for word in words if word[:1].isupper()) if kind.islower() else ""


_key = lru_cache(maxsize=4096)(key_of)


def _tells_of(fact: Fact, key: str) -> bool:
    return contains_key(fact.key, key) or contains_key(_key(fact.fact), key)


def _listed(terms: Sequence[str]) -> str:
    return terms[0] if len(terms) == 1 else f"{', '.join(terms[:-1])} and {terms[-1]}"
