"""A database or a Valkey that is away for a moment costs a person time, never a message."""

from __future__ import annotations

from uuid import uuid4

import pytest
from channels.layers import get_channel_layer
from django.db import OperationalError
from redis.exceptions import ConnectionError as LayerDown

from config import sockets
from conversations.models import Turn
from conversations.services import turns
from tenants.scoping import tenant_scope
from tests.integration.conversations.conftest import library  # noqa: F401
from tests.sockets.tab import opened_tab
from tests.sockets.test_the_chat_socket import device_cookie, opened, socket

pytestmark = pytest.mark.django_db(transaction=True)


def failing_once(monkeypatch, owner, name, error):
    """`owner.name` raises once, and works from then on."""
    works, left = getattr(owner, name), [error]

    def either(*args, **kwargs):
        if left:
            raise left.pop()
        return works(*args, **kwargs)

    monkeypatch.setattr(owner, name, either)
    return left


OUTAGES = [
    pytest.param(
        lambda: (turns, "turn_accept", OperationalError("server closed the connection")), id="postgres"
    ),
    pytest.param(
        lambda: (get_channel_layer(), "group_add", LayerDown("connection lost")), id="channel layer"
    ),
    pytest.param(lambda: (get_channel_layer(), "group_send", LayerDown("connection lost")), id="bell"),
]


@pytest.mark.parametrize("outage", OUTAGES)
async def test_a_message_sent_in_the_outage_is_sent_again_and_answered_once(
    library,  # noqa: F811
    tenant,
    monkeypatch,
    outage,
):
    owner, name, error = outage()
    cookie = device_cookie(tenant)
    frame = {"type": "ask", "session": None, "id": str(uuid4()), "text": "What is the RPO in Frankfurt?"}
    async with socket(cookie=cookie) as tab:
        await opened(tab)
        left = failing_once(monkeypatch, owner, name, error)
        await tab.send_frame(frame)
        first = await tab.receive_output(20)
    assert not left
    if first["type"] == "websocket.close":
        assert first["code"] == 1013
    async with socket(cookie=cookie) as tab:
        await tab.send_frame(frame)
        [answered] = (await tab.until("opened"))[-1]["turns"]
        assert answered["client_id"] == frame["id"]
        if answered["state"] != "completed":
            answered = (await tab.until("turn.completed"))[-1]
    assert "5 minutes" in answered["answer"]
    with tenant_scope(tenant.id):
        assert await Turn.objects.acount() == 1


@pytest.mark.parametrize("step", ["tenant_by_slug", "login_counts_here"])
@pytest.mark.parametrize("offered", [(), ("antecedent",)], ids=["program", "browser"])
async def test_a_tab_at_the_door_in_the_outage_is_told_to_come_again(
    library,  # noqa: F811
    tenant,
    monkeypatch,
    step,
    offered,
):
    cookie = device_cookie(tenant)
    failing_once(monkeypatch, sockets, step, OperationalError("server closed the connection"))
    async with opened_tab(cookie=cookie, subprotocols=offered) as tab:
        assert await tab.receive_output(20) == {"type": "websocket.close", "code": 1013}
    async with socket(cookie=cookie) as tab:
        await opened(tab)


async def test_another_fault_at_the_door_stays_a_fault(library, tenant, monkeypatch):  # noqa: F811
    failing_once(monkeypatch, sockets, "tenant_by_slug", RuntimeError("boom"))
    with pytest.raises(RuntimeError, match="boom"):
        async with opened_tab(cookie=device_cookie(tenant)):
            pass
