"""Conversations whose answers cost nothing to make, so that storing them is what a test is about."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Ports
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.turn_events import AnswerPiece, Engine, QueryDecided, TurnEvent, TurnFinished
from conversations.models import Turn
from conversations.services import answering
from conversations.services.thoughts import thought_begin, turn_finish
from conversations.services.turns import turn_accept
from conversations.wiring import run_apart
from tenants.scoping import tenant_scope
from tenants.services import end_user_for_device

EXCHANGES_KEPT = 12


def answer_to(message: str) -> str:
    return f"This answers: {message}"


async def quick_turn(given: Any, ports: Ports, trace: Any = None) -> AsyncIterator[TurnEvent]:
    """The events of a turn as the pipeline tells them, without language, search or model."""
    decided = QueryDecided(given.message, given.message, "standalone", False, "clean")
    yield decided
    yield AnswerPiece(0, answer_to(given.message))
    n = given.state.turn + 1
    exchange = Exchange(n, given.message, given.message, "standalone", answer_to(given.message))
    exchanges = (*given.state.exchanges, exchange)[-EXCHANGES_KEPT:]
    state = replace(given.state, turn=n, version=given.state.version + 1, exchanges=exchanges)
    stopped = ports.halt is not None and ports.halt.is_set()
    engine = Engine("offline", "Offline engine")
    yield TurnFinished(
        decided, answer_to(given.message), (), engine, None, state, {"message": given.message}, stopped
    )


def quick_ports(turn: Turn) -> tuple[Ports, ScopePolicy]:
    nothing: Any = None
    ports = Ports(nothing, nothing, nothing, nothing, clock=lambda: 0.0, count_tokens=len)
    return ports, ScopePolicy()


class Person:
    """An end user of the tenant, and what they do."""

    def __init__(self, name: str) -> None:
        self.id = end_user_for_device(device=name).pk

    def says(self, text: str, session_id: UUID | None = None, client_id: str = "") -> Turn:
        """Store a message; nobody answers it yet."""
        return turn_accept(
            end_user_id=self.id, session_id=session_id, client_id=client_id or str(uuid4()), text=text
        ).turn

    def asks(self, text: str, session_id: UUID | None = None) -> Turn:
        """Store a message and have it answered."""
        turn = self.says(text, session_id)
        answer(turn.session_id)
        turn.refresh_from_db()
        return turn


def answer(session_id: UUID, **more: Any) -> None:
    run_apart(answering.answer_session(session_id, ports_for=quick_ports, **more))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "run_turn", quick_turn)


@pytest.fixture
def person(transactional_db: None, scoped: Any, quick: None) -> Person:
    return Person("one")


@pytest.fixture
def their_person(rival: Any, quick: None) -> Any:
    with tenant_scope(rival.id):
        return Person("one")


def tell(
    person: Person, exchanges: Sequence[Exchange], session_id: UUID | None = None, memory: Any = None
) -> UUID:
    """Have a conversation that is known already: every exchange becomes a stored, answered turn."""
    for exchange in exchanges:
        turn = person.says(exchange.message, session_id)
        session_id = turn.session_id
        begun = thought_begin(session_id=session_id)
        assert begun
        lease = begun.token
        state = ConversationState(turn=exchange.turn, version=exchange.turn, exchanges=(exchange,))
        trace = {"message": exchange.message, "memory": (memory or {}).get(exchange.turn)}
        result = {"state": "completed", "answer": exchange.answer}
        turn_finish(turn=turn, lease=lease, result=result, trace=trace, state=state)
    assert session_id
    return session_id
