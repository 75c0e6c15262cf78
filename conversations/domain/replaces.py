"""Decides when one entity takes the role of another: an ellipsis or a correction swaps it, a comparison does not.

It is narrow on purpose, because a superseded entity stays closed until the user names it again.
Two entities of one message, joined or compared, always live side by side.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from conversations.domain.classify import Classification, Kind
from conversations.domain.liveness import Slot, Status
from conversations.domain.reading import Mark, Reading
from conversations.domain.state import ConversationState

_JOINS = re.compile(
    r"\b(?:or|and|versus|vs\.?|compar\w+|both|between|than|either|neither|as well|also|too|plus|in addition|differen\w+|besides)\b",
    re.IGNORECASE,
)
_LEADING_AND = re.compile(r"^(?:and|or|but|also|plus)\b[\s,]*", re.IGNORECASE)


def replaced_slots(
    reading: Reading,
    classification: Classification,
    held: tuple[str, ...],
    slots: Mapping[str, Slot],
    state: ConversationState,
) -> tuple[tuple[Slot, Slot], ...]:
    """Pairs (old, new) of which the new entity took the old one's role in this turn."""
    correction = classification.kind is Kind.CORRECTION
    if not classification.dependent or not (correction or reading.has(Mark.ELLIPSIS, Mark.VERBLESS)):
        return ()
    if _JOINS.search(_LEADING_AND.sub("", reading.core)) and not correction:
        return ()
    named = [slots[i] for i in held if slots[i].introduced_turn == state.turn + 1 or _was_named(slots[i], reading)]
    previous = state.last
    if previous is None or len(named) != 1:
        return ()
    new = named[0]
    old = [
        slots[i]
        for i in previous.slots
        if i in slots and i != new.id and slots[i].type == new.type and slots[i].status in {Status.LIVE, Status.STALE}
    ]
    return ((old[0], new),) if len(old) == 1 else ()


def _was_named(slot: Slot, reading: Reading) -> bool:
    return any(term.text.casefold() == slot.name.casefold() for term in reading.terms)
