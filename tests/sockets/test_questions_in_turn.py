"""With one place that nobody is made to give back, every tab still has its turn: each makes room as soon as it can."""

from __future__ import annotations

from uuid import uuid4

import pytest

from conversations import consumers
from conversations.turnstile import Turnstile
from tests.integration.conversations.conftest import library  # noqa: F401
from tests.sockets.test_the_chat_socket import ask, device_cookie, opened, socket, until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def one_place(monkeypatch):
    gates = []

    def only():
        if not gates:
            gates.append(Turnstile(1, 3600))
        return gates[0]

    monkeypatch.setattr(consumers, "turnstile", only)


async def test_a_tab_makes_room_once_it_has_heard_what_is_searched_for(library, tenant):  # noqa: F811
    async with (
        socket(cookie=device_cookie(tenant)) as first,
        socket(cookie=device_cookie(tenant, "two")) as second,
    ):
        await opened(first)
        session = (await ask(first, "What is the RPO in Frankfurt?"))[-1]["session"]
        await ask(second, "What is the RPO in Dublin?")
        await ask(first, "and in Dublin?", session)


async def test_two_messages_in_a_row_do_not_wait_for_each_other(library, tenant):  # noqa: F811
    async with socket(cookie=device_cookie(tenant)) as tab:
        session = (await ask(tab, "What is the RPO in Frankfurt?"))[-1]["session"]
        for text in ("and in Dublin?", "and what is the RTO?"):
            await tab.send_frame({"type": "ask", "session": session, "id": str(uuid4()), "text": text})
        accepted = [(await until(tab, "turn.accepted"))[-1]["text"] for _ in range(2)]
        assert accepted == ["and in Dublin?", "and what is the RTO?"]
        await until(tab, "turn.completed")


async def test_a_refused_question_keeps_no_place(library, tenant):  # noqa: F811
    async with socket(cookie=device_cookie(tenant)) as tab:
        await tab.send_frame({"type": "ask", "session": None, "id": str(uuid4()), "text": " "})
        assert (await until(tab, "error"))[-1]["code"] == "message_empty"
        await ask(tab, "What is the RPO in Frankfurt?")


async def test_a_tab_that_goes_away_takes_its_place_along(library, tenant):  # noqa: F811
    async with socket(cookie=device_cookie(tenant)) as tab:
        frame = {"type": "ask", "session": None, "id": str(uuid4()), "text": "What is the RPO in Frankfurt?"}
        await tab.send_frame(frame)
        await until(tab, "opened")
    async with socket(cookie=device_cookie(tenant, "two")) as other:
        await ask(other, "What is the RPO in Dublin?")
