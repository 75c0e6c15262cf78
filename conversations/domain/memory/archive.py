"""Brings back earlier exchanges when the message names a closed entity or returns to an earlier topic, and only then.

By name at any distance, and for a return to a topic by nearness of meaning.
At most three come back, oldest first, each with the reason why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conversations.domain.affinity import rank
from conversations.domain.classify import Classification, Kind
from conversations.domain.liveness import Slot
from conversations.domain.memory.values import Recalled
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange
from conversations.domain.words import contains_key, key_of

MOST_RECALLED = 3


def recall(
    reading: Reading,
    classification: Classification,
    archived: Sequence[Exchange],
    *,
    named: Sequence[Slot] = (),
    near: float = 0.0,
) -> Recalled:
    """The archived exchanges that this message needs.

    `archived` are exchanges outside the session's state, `named` the slots that the message names, whatever their
    status, `near` the affinity (`ScopePolicy.thresholds.related`) a returned-to exchange must reach.
    """
    found = _named(reading, archived, [slot for slot in named if slot.closed or slot.recalls])
    if not found and classification.kind is Kind.TOPIC_RETURN:
        found = _returned_to(reading, archived, near)
    chosen = sorted(found, key=lambda exchange: exchange.turn)
    return Recalled(tuple(chosen), tuple(found[exchange] for exchange in chosen))


def is_wanted(classification: Classification, named: Sequence[Slot]) -> bool:
    """Whether the archive is worth asking at all: saves its query on every other turn."""
    return classification.kind is Kind.TOPIC_RETURN or any(slot.closed or slot.recalls for slot in named)


def _named(reading: Reading, archived: Sequence[Exchange], closed: Sequence[Slot]) -> Mapping[Exchange, str]:
    """Exchanges that speak of a named closed entity, the nearest to the message first."""
    keys = {key_of(name): slot.name for slot in closed for name in (slot.name, *slot.aliases) if key_of(name)}
    ids = {slot.id: slot.name for slot in closed} | {
        slot.recalls: slot.name for slot in closed if slot.recalls
    }
    about: dict[int, str] = {}
    for exchange in archived:
        name = next((ids[slot_id] for slot_id in exchange.slots if slot_id in ids), None)
        name = name or next((shown for key, shown in keys.items() if _speaks_of(exchange, key)), None)
        if name:
            about[exchange.turn] = name
    of_turn = {exchange.turn: exchange for exchange in archived if exchange.turn in about}
    nearest = rank(reading, of_turn.values())[:MOST_RECALLED]
    return {of_turn[item.turn]: f"names {about[item.turn]}" for item in nearest}


def _speaks_of(exchange: Exchange, key: str) -> bool:
    terms = (*exchange.terms, *exchange.inherited, *exchange.items)
    named = any(contains_key(term.key, key) for term in terms)
    return named or any(contains_key(term.key, key) and term.name for term in exchange.answer_terms)


def _returned_to(reading: Reading, archived: Sequence[Exchange], near: float) -> Mapping[Exchange, str]:
    """The nearest exchange, and its neighbours in the same thread as far as they are near as well."""
    of_turn = {exchange.turn: exchange for exchange in archived if exchange.kind != Kind.SMALL_TALK.value}
    ranked = [item for item in rank(reading, of_turn.values()) if item.total >= near and item.total > 0]
    if not ranked:
        return {}
    best = max(ranked, key=lambda item: item.total)
    thread = of_turn[best.turn].thread
    chosen = [item for item in ranked if of_turn[item.turn].thread == thread][:MOST_RECALLED]
    return {of_turn[item.turn]: f"returns to turn {item.turn} (affinity {item.total:.2f})" for item in chosen}
