"""Decides when one entity takes the role of another: an ellipsis or a correction swaps it, a comparison does not.

It is narrow on purpose, because a superseded entity stays closed until the user names it again.
Two entities of one message, joined or compared, always live side by side.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from conversations.domain.classify import Classification, Kind
from conversations.domain.contextualize import Contextualized
from conversations.domain.liveness import Slot
from conversations.domain.reading import Reading
from conversations.domain.words import key_of

_JOINS = re.compile(
    r"\b(?:or|and|versus|vs\.?|compar\w+|both|between|than|either|neither|as well|also|too|plus|in addition|differen\w+|besides)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:(?:and|or|but|so|ok(?:ay)?)\b[\s,]*)+", re.IGNORECASE)


def joins(reading: Reading) -> bool:
    """Whether the message sets things side by side instead of one in the place of another."""
    return bool(_JOINS.search(_LEADING.sub("", reading.core)))


def replaced_slots(
    reading: Reading,
    classification: Classification,
    contextualized: Contextualized,
    held: tuple[str, ...],
    slots: Mapping[str, Slot],
) -> tuple[tuple[Slot, Slot], ...]:
    """Pairs (old, new) of which the new entity took the old one's role in this turn."""
    if not classification.dependent or (joins(reading) and classification.kind is not Kind.CORRECTION):
        return ()
    named = {key_of(slots[slot_id].name): slots[slot_id] for slot_id in held}
    pairs = ((old, named.get(new)) for old, new in contextualized.replaced)
    return tuple(
        (slot, new)
        for old, new in pairs
        if new is not None
        for slot in slots.values()
        if slot.open and slot.id != new.id and key_of(slot.name) == old
    )
