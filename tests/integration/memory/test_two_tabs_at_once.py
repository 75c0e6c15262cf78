"""Two tabs write into one conversation at the same time: nothing is lost, doubled or answered twice."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from uuid import UUID

import pytest

from conversations import errors
from conversations.adapters import session_cache
from conversations.models import ArchivedExchange, Session, SessionState, Turn
from conversations.selectors import state_of
from conversations.services import thoughts
from conversations.services.answering import answer_session
from conversations.services.sessions import session_open
from conversations.services.turns import turn_accept
from conversations.wiring import run_apart
from tenants.threads import in_thread
from tests.integration.memory.conftest import answer_to, quick_ports


async def tab(name: str, count: int, person_id: UUID, session_id: UUID) -> None:
    """Sends its messages as fast as they are taken, each in its own event loop like a process of its own."""
    answering = set()
    for number in range(count):
        while True:
            message = {"client_id": f"{name}-{number}", "text": f"Message {number} of tab {name}"}
            try:
                await in_thread(turn_accept, end_user_id=person_id, session_id=session_id, **message)
                break
            except errors.TooManyWaiting:
                await asyncio.sleep(0.05)
        answering.add(asyncio.create_task(answer_session(session_id, ports_for=quick_ports)))
        answering = {task for task in answering if not task.done()}
    await asyncio.gather(*answering)


@pytest.mark.takes(15)
@pytest.mark.parametrize(
    ("each", "joining"), [(100, True), (30, False)], ids=["answered together", "answered one by one"]
)
def test_all_messages_of_two_tabs_are_answered_once(person, monkeypatch, each, joining):
    if not joining:
        monkeypatch.setattr(thoughts, "MESSAGE_LIMIT", 40)
    session_id = session_open(end_user_id=person.id, client_id="first", first_message="").pk
    with ThreadPoolExecutor(2) as tabs:
        both = [
            tabs.submit(copy_context().run, run_apart, tab(name, each, person.id, session_id))
            for name in ("one", "two")
        ]
        [each.result() for each in both]

    stored = list(Turn.objects.filter(session=session_id).order_by("n"))
    assert [turn.n for turn in stored] == list(range(1, 2 * each + 1))
    assert {turn.state for turn in stored} <= {"completed", "joined"}
    carried = [turn for turn in stored if turn.state == "completed"]
    assert joining or len(carried) == len(stored)

    archived = list(ArchivedExchange.objects.filter(session=session_id).order_by("n"))
    assert [exchange.n for exchange in archived] == list(range(1, len(carried) + 1))
    assert [exchange.turn_id for exchange in archived] == [turn.pk for turn in carried]
    said = [line for exchange in archived for line in exchange.data["message"].split("\n")]
    assert said == [turn.message for turn in stored]
    for exchange, turn in zip(archived, carried, strict=True):
        assert turn.answer == answer_to(exchange.data["message"]) and turn.attempts == 1

    state = SessionState.objects.get(session=session_id)
    assert state.data["turn"] == state.version == len(carried)
    hot = run_apart(session_cache.load(end_user_id=person.id, session_id=session_id))
    assert hot == state_of(session_id=session_id, end_user_id=person.id)
    assert Session.objects.get().last_exchange == len(carried)
