"""What a turn remembers of its rewrite once the guard has ruled: only what was really searched.

A name that was kept out of the search is not remembered as carried over either, and keeps no entity alive.
When another wording was searched than the model's, that wording's own account is remembered.
"""

from __future__ import annotations

from dataclasses import replace

from conversations.domain.contextualize import Contextualized
from conversations.domain.state import ConversationState
from conversations.domain.verdicts import Action, Ruling
from conversations.domain.words import contains_key, key_of


def settled(
    contextualized: Contextualized, fallback: Contextualized, ruling: Ruling, state: ConversationState
) -> Contextualized:
    """The account of the searched query. `fallback` is the rewrite by rules, which the guard may have taken instead.

    What a message names by pointing at the question that named it is named whoever wrote, where the query says it.
    """
    query_key = key_of(ruling.query)
    named = tuple(term for term in fallback.named if contains_key(query_key, term.key))
    written = fallback if ruling.origin == fallback.origin != contextualized.origin else contextualized
    written = replace(written, query=ruling.query, named=named)
    if ruling.action is Action.ACCEPTED:
        return written
    if ruling.origin == "typed":
        return replace(written, added=(), refers_to=(), named=(), picked=(), replaced=())
    gone = tuple(key for key in map(key_of, ruling.offending) if not contains_key(query_key, key))
    return replace(
        written,
        added=tuple(term for term in written.added if contains_key(query_key, term.key)),
        entities=tuple(e for e in written.entities if not _holds(key_of(e.name), gone)),
        refers_to=tuple(id for id in written.refers_to if not _holds(_name_key(id, state), gone)),
    )


def _name_key(slot_id: str, state: ConversationState) -> str:
    slot = state.slot(slot_id)
    return key_of(slot.name) if slot else ""


def _holds(name_key: str, gone: tuple[str, ...]) -> bool:
    """Whether a name is, holds or is part of something that was kept out."""
    return any(contains_key(name_key, key) or contains_key(key, name_key) for key in gone)
