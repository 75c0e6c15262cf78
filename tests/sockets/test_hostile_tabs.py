"""A tab that sends rubbish by the hundred: it is answered each time, and afterwards an ordinary question is too."""

from __future__ import annotations

import json
import os
import random
import tracemalloc
from uuid import uuid4

import pytest

from conversations.models import Session, Turn
from tenants.scoping import tenant_scope
from tests.integration.conversations.conftest import library  # noqa: F401
from tests.sockets.test_the_chat_socket import ask, device_cookie, opened, socket, text_of

pytestmark = pytest.mark.django_db(transaction=True)
FRAMES = int(os.environ.get("ANTECEDENT_FUZZ_EXAMPLES", "300"))
TYPES = [
    "open",
    "retry",
    "stop",
    "rate",
    "renew",
    "ping",
    "nonsense",
    "connect",
    "session.events",
    "websocket.close",
    "",
]
PIECES = [
    None,
    True,
    7,
    -1,
    1e308,
    "",
    "x",
    "\x00",
    "\ud800",
    "é" * 50,
    str(uuid4()),
    [],
    {},
    [[[[]]]],
    {"type": "ask"},
]


def rubbish(rng: random.Random) -> str | bytes:
    """A frame that the protocol does not know, or knows with other contents."""
    shape = rng.randrange(8)
    if shape == 0:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(60)))
    if shape == 1:
        return "".join(chr(rng.randrange(1, 0xD7FF)) for _ in range(rng.randrange(40)))
    if shape == 2:
        return rng.choice(["[" * 60_000, '{"type":' * 20_000, "x" * 140_000, "{}", "[]", '"ask"', "NaN"])
    frame = {
        name: rng.choice(PIECES) for name in ("session", "id", "turn", "text", "rating", "reason", "token")
    }
    if shape == 3:
        return json.dumps({**frame, "type": rng.choice(PIECES)})
    if shape == 4:
        return json.dumps(
            {"type": "ask", "session": None, "id": rng.choice(PIECES[:8]), "text": rng.choice(PIECES)}
        )
    if shape == 5:
        return json.dumps(
            {**frame, "type": "ask", "session": str(uuid4()), "id": str(uuid4()), "text": "hello"}
        )
    return json.dumps({**frame, "type": rng.choice(TYPES)})


async def test_rubbish_is_answered_and_a_question_after_it_as_well(library, tenant, rival):  # noqa: F811
    rng, codes = random.Random(20), set()
    async with socket(cookie=device_cookie(tenant)) as tab:
        await opened(tab)
        for _ in range(FRAMES):
            frame = rubbish(rng)
            await (tab.send_bytes(frame) if isinstance(frame, bytes) else tab.send_text(frame))
            told = await tab.frame()
            assert told["type"] in ("error", "pong", "opened"), (frame, told)
            codes.add(told.get("code"))
        frames = await ask(tab, "What is the RPO in Frankfurt?")
    assert "5 minutes" in text_of(frames)
    assert codes <= {None, "unknown_command", "session_not_found", "turn_not_found", "session_token_refused", "invalid",
                     "message_empty"}  # fmt: skip
    with tenant_scope(tenant.id):
        assert await Turn.objects.acount() == 1
    with tenant_scope(rival.id):
        assert await Session.objects.acount() == 0


async def test_a_flood_is_answered_in_order_and_leaves_nothing_behind(library, tenant):  # noqa: F811
    async with socket(cookie=device_cookie(tenant)) as tab:
        await opened(tab)
        tracemalloc.start()
        for wave in range(2):
            for _ in range(300):
                await tab.send_text(json.dumps({"type": "nonsense", "padding": "x" * 20_000}))
            for _ in range(300):
                assert (await tab.frame())["code"] == "unknown_command"
            if wave == 0:
                before = tracemalloc.get_traced_memory()[0]
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert grown < 2_000_000
        assert "5 minutes" in text_of(await ask(tab, "What is the RPO in Frankfurt?"))


async def test_frames_out_of_order_and_twice_make_one_turn(library, tenant):  # noqa: F811
    client_id, stranger = str(uuid4()), str(uuid4())
    question = {"type": "ask", "session": None, "id": client_id, "text": "What is the RPO in Frankfurt?"}
    async with socket(cookie=device_cookie(tenant)) as tab:
        for frame in ({"type": "stop", "turn": stranger}, {"type": "rate", "turn": stranger, "rating": "up"},
                      {"type": "retry", "turn": stranger, "id": client_id}, question, question, question):  # fmt: skip
            await tab.send_frame(frame)
        await tab.until("turn.completed")
    with tenant_scope(tenant.id):
        assert await Turn.objects.acount() == 1
