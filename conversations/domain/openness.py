"""Says which earlier exchanges may still be used: the veto of liveness, and the cuts of the other strategies.

An exchange is open while something the user named in it is open, or while it leans on an exchange that is.
Nearness chooses among open exchanges; it can never bring a closed one back.
"""

from __future__ import annotations

from collections.abc import Collection

from conversations.domain.liveness import Status
from conversations.domain.policy import ScopePolicy, Strategy
from conversations.domain.state import ConversationState, Exchange


def candidates(
    state: ConversationState,
    policy: ScopePolicy,
    named: Collection[str] = (),
    described: frozenset[str] = frozenset(),
) -> tuple[Exchange, ...]:
    """The exchanges that the policy's strategy lets a message refer to, oldest first.

    `named` are ids of slots that the message names; an exchange about one of them is open at any distance, and so
    is one that the archive recalled. `described` are words by which the message points back at something; a closed
    exchange is open for a message with words that were said in it and in no open one: "that bag with the clips".
    """
    if policy.strategy is Strategy.WINDOW:
        return state.exchanges[-policy.window :]
    if policy.strategy is Strategy.SEGMENT:
        return _since_boundary(state)
    spoken = state.spoken
    usable = [
        exchange
        for exchange in spoken
        if is_open(exchange, state, policy)
        or set(exchange.slots) & set(named)
        or exchange.turn in state.recalled
    ]
    turns = {exchange.turn for exchange in (*usable, *_described(spoken, usable, described))}
    return tuple(exchange for exchange in spoken if exchange.turn in turns)


def _described(spoken: tuple[Exchange, ...], usable: list[Exchange], words: frozenset[str]) -> list[Exchange]:
    """The closed exchanges that hold the most of the words that no open exchange holds."""
    distinctive = words - {word for exchange in usable for word in exchange.words}
    shared = {e.turn: len(distinctive & set(e.words)) for e in spoken if e not in usable}
    most = max(shared.values(), default=0)
    return [exchange for exchange in spoken if most and shared.get(exchange.turn) == most]


def is_open(exchange: Exchange, state: ConversationState, policy: ScopePolicy) -> bool:
    """Whether the user has not finished with everything that the exchange was about."""
    slots = [slot for slot in map(state.slot, exchange.slots) if slot is not None]
    if slots:
        return any(slot.open for slot in slots)
    if exchange.slots:
        return False
    anchor = state.exchange(exchange.anchor) if 0 < exchange.anchor < exchange.turn else None
    if anchor is not None:
        return is_open(anchor, state, policy)
    return state.turn - exchange.turn < policy.horizons.evict_after


def not_evicted(state: ConversationState) -> tuple[Exchange, ...]:
    """The exchanges that hold something the user has not been silent about for too long, also where it gave way."""
    held = {slot.id: slot.status for slot in state.slots}
    return tuple(
        e
        for e in state.exchanges
        if not e.slots or any(held.get(i, Status.EVICTED) is not Status.EVICTED for i in e.slots)
    )


def other_threads(exchanges: tuple[Exchange, ...], state: ConversationState) -> tuple[Exchange, ...]:
    """The exchanges outside the topic that was spoken of last."""
    last = state.last
    return tuple(e for e in exchanges if last is not None and e.thread != last.thread)


def _since_boundary(state: ConversationState) -> tuple[Exchange, ...]:
    topic = state.topic
    first = topic.first_turn if topic else 0
    return tuple(exchange for exchange in state.exchanges if exchange.turn >= first)
