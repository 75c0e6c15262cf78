"""The chat socket, through the whole ASGI application: prefix, origin, tenant, identity, protocol."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

from conversations.adapters.event_log import EventLog, client, group_of
from conversations.models import Turn
from tenants.devices import DEVICE_COOKIE, device_token
from tenants.scoping import tenant_scope
from tests.integration.conversations.conftest import library  # noqa: F401
from tests.sockets.tab import opened_tab

pytestmark = pytest.mark.django_db(transaction=True)


def device_cookie(tenant, device="one"):
    return f"{DEVICE_COOKIE}={device_token(tenant.pk, device)}"


def socket(path="/t/acme/ws/chat/", cookie="", origin="http://testserver"):
    return opened_tab(path, cookie, origin)


async def until(tab, kind, limit=400):
    return await tab.until(kind, limit)


async def opened(tab, session=None, after=0):
    await tab.send_frame({"type": "open", "session": session, "after": after})
    return (await until(tab, "opened"))[-1]


async def ask(tab, text, session=None, client_id=None):
    frame = {"type": "ask", "session": session, "id": client_id or str(uuid4()), "text": text}
    await tab.send_frame(frame)
    return await until(tab, "turn.completed")


def text_of(frames):
    text = ""
    for frame in frames:
        if frame["type"] == "turn.delta":
            text = text[: frame["at"]] + frame["text"]
    return text


async def test_it_streams_an_answer_in_consecutive_events(library, tenant):  # noqa: F811
    async with socket(cookie=device_cookie(tenant)) as tab:
        assert (await opened(tab))["session"] is None
        frames = await ask(tab, "What is the RPO in Frankfurt?")
    events = [frame for frame in frames if "seq" in frame and frame["type"] != "opened"]
    numbers = [event["seq"] for event in events]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert [e["type"] for e in events if e["type"] != "turn.delta"][-3:] == [
        "turn.query",
        "turn.sources",
        "turn.completed",
    ]
    assert text_of(events) == events[-1]["answer"] and "5 minutes" in events[-1]["answer"]


async def test_a_second_tab_sees_what_the_first_one_asks(library, tenant):  # noqa: F811
    cookie = device_cookie(tenant)
    async with socket(cookie=cookie) as first, socket(cookie=cookie) as second:
        await opened(first)
        session = (await ask(first, "What is the RPO in Frankfurt?"))[-1]["session"]
        assert (await opened(second))["turns"][0]["state"] == "completed"
        await ask(first, "and in Dublin?", session)
        frames = await until(second, "turn.completed")
        assert [f for f in frames if f["type"] == "turn.accepted"] and "15 minutes" in frames[-1]["answer"]


async def test_sending_again_after_a_lost_acknowledgement_changes_nothing(library, tenant):  # noqa: F811
    cookie, client_id = device_cookie(tenant), str(uuid4())
    for _ in range(2):
        async with socket(cookie=cookie) as tab:
            await tab.send_frame(
                {"type": "ask", "session": None, "id": client_id, "text": "What is the RPO in Frankfurt?"}
            )
            await until(tab, "opened")
    with tenant_scope(tenant.id):
        for _ in range(100):
            turns = [turn async for turn in Turn.objects.all()]
            if turns[0].state == "completed":
                break
            await asyncio.sleep(0.1)
    assert len(turns) == 1 and turns[0].state == "completed"


async def test_a_tab_that_comes_back_in_the_middle_sees_the_whole_answer(library, tenant):  # noqa: F811
    cookie = device_cookie(tenant)
    async with socket(cookie=cookie) as tab:
        await tab.send_frame(
            {"type": "ask", "session": None, "id": str(uuid4()), "text": "What is the RPO in Frankfurt?"}
        )
        session = (await until(tab, "turn.delta"))[-1]["session"]
    async with socket(cookie=cookie) as tab:
        snapshot = await opened(tab, session)
        turn = snapshot["turns"][0]
        text, state = turn["answer"], turn["state"]
        while state != "completed":
            event = await tab.frame(timeout=20)
            if event["type"] == "turn.delta":
                text = text[: event["at"]] + event["text"]
            if event["type"] == "turn.completed":
                state, final = "completed", event["answer"]
                assert text == final
        assert "5 minutes" in text


async def test_a_burst_that_the_channel_layer_drops_arrives_whole(library, tenant):  # noqa: F811
    cookie = device_cookie(tenant)
    async with socket(cookie=cookie) as tab:
        await opened(tab)
        done = (await ask(tab, "What is the RPO in Frankfurt?"))[-1]
        from uuid import UUID

        session = UUID(done["session"])
        with tenant_scope(tenant.id):
            log, layer_name = EventLog(session, floor=done["seq"]), group_of(session)
            assert layer_name
            for number in range(300):
                if number % 3:  # two of three never ring
                    await client().eval(
                        "local n = redis.call('incr', KEYS[2]) redis.call('xadd', KEYS[1], n .. '-0', 'e', ARGV[1]) return n",
                        2,
                        *log.keys,
                        f'{{"type":"turn.rated","session":"{session}","turn":"{done["turn"]}","rating":"up"}}',
                    )
                else:
                    await log.append("turn.rated", turn=done["turn"], rating="up")
            await log.append("session.titled", title="end")
        frames = await until(tab, "session.titled", 400)
    assert [frame["seq"] for frame in frames] == list(range(done["seq"] + 1, done["seq"] + 302))


# Who may connect


async def test_it_refuses_a_page_of_another_origin(tenant):
    async with socket(cookie=device_cookie(tenant), origin="https://evil.example") as refused:
        assert isinstance(refused, int)


@pytest.mark.parametrize("path", ["/ws/chat/", "/t/nobody/ws/chat/", "/t/acme/ws/other/", "/t/../ws/chat/"])
async def test_it_refuses_an_address_of_no_tenant(tenant, path):
    async with socket(path, device_cookie(tenant)) as refused:
        assert isinstance(refused, int)


@pytest.mark.parametrize(
    "forge", [lambda t, r: "", lambda t, r: f"{DEVICE_COOKIE}=forged", lambda t, r: device_cookie(r)]
)
async def test_it_asks_whoever_it_does_not_know_to_sign_in(tenant, rival, forge):
    async with socket(cookie=forge(tenant, rival)) as tab:
        assert (await tab.receive_output(timeout=5)) == {"type": "websocket.close", "code": 4401}


async def test_a_session_id_from_a_log_opens_nothing_for_somebody_else(library, tenant):  # noqa: F811
    async with socket(cookie=device_cookie(tenant)) as mine:
        await opened(mine)
        done = (await ask(mine, "What is the RPO in Frankfurt?"))[-1]
    async with socket(cookie=device_cookie(tenant, "two")) as other:
        await other.send_frame({"type": "open", "session": done["session"], "after": 0})
        assert (await other.frame())["code"] == "session_not_found"
        for frame in (
            {"type": "ask", "session": done["session"], "id": str(uuid4()), "text": "and in Dublin?"},
            {"type": "stop", "turn": done["turn"]},
            {"type": "rate", "turn": done["turn"], "rating": "up"},
            {"type": "retry", "turn": done["turn"], "id": str(uuid4())},
        ):
            await other.send_frame(frame)
            assert (await other.frame())["code"] in {"session_not_found", "turn_not_found"}


# What it makes of nonsense


@pytest.mark.parametrize(
    "frame",
    ["", "{", "[]", "1", "null", '"ask"', "{}", '{"type": 1}', '{"type": "__init__"}', '{"type": "unknown"}',
     '{"type": "ask"}', '{"type": "ask", "id": "x", "text": "hi"}', '{"type": "ask", "id": 5, "text": "hi"}',
     '{"type": "open", "session": "x"}', '{"type": "rate", "turn": "00000000-0000-0000-0000-000000000000", "rating": 1}',
     "[" * 5000, '{"type": "ask", "id": "00000000-0000-0000-0000-000000000000", "text": "\\ud800 lone"}', '{"type": "ask", "x": "' + "y" * 200_000 + '"}'],
    ids=lambda frame: frame[:30] or "empty",
)  # fmt: skip
async def test_it_answers_nonsense_with_a_code_and_goes_on(tenant, frame):
    async with socket(cookie=device_cookie(tenant)) as tab:
        await tab.send_text(frame)
        answer = await tab.frame(timeout=5)
        assert answer["type"] == "error" and answer["code"] in {"unknown_command", "turn_not_found"}
        await tab.send_frame({"type": "ping"})
        assert await tab.frame() == {"type": "pong"}


async def test_it_refuses_bytes(tenant):
    async with socket(cookie=device_cookie(tenant)) as tab:
        await tab.send_bytes(b"\x00\xff")
        assert (await tab.frame())["code"] == "unknown_command"
