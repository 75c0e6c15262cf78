"""kill -9 of the worker in the middle of an ingest, and of the web process in the middle of a turn."""

from __future__ import annotations

import asyncio
import json
import random
import re
from uuid import uuid4

import pytest
import websockets

from tests.browser.conftest import eventually

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def long_text(words: int) -> bytes:
    """Prose of distinct sentences, so that no two passages are the same."""
    rng = random.Random(7)
    nouns = [
        "harbour",
        "lantern",
        "orchard",
        "gearbox",
        "ledger",
        "viaduct",
        "compass",
        "barley",
        "turbine",
        "archive",
    ]
    lines = ["# The long report\n"]
    for number in range(words // 14):
        a, b, c = (rng.choice(nouns) for _ in range(3))
        lines.append(
            f"Entry {number} notes that the {a} beside the {b} was measured at {rng.randint(10, 99999)} near {c}."
        )
        if number % 9 == 8:
            lines.append("\n")
    return "\n".join(lines).encode()


def upload(client, name: str, data: bytes) -> None:
    page = client.get("console/documents/").text
    corpus = re.search(r'option value="([0-9a-f-]{36})"', page)[1]
    form = {"corpus": corpus, "restricted": "no", "csrfmiddlewaretoken": client.cookies["csrftoken"]}
    files = {"files": (name, data, "text/markdown")}
    answer = client.post(
        "console/documents/upload", data=form, files=files, headers={"Referer": str(client.base_url)}
    )
    assert answer.status_code == 200, answer.text[:500]


def test_a_document_whose_worker_dies_is_indexed_once(platform_up):
    with platform_up.signed_in("nimbus", "ingrid@nimbus.example", "nimbus-demo-1") as client:
        upload(client, "long-report.md", long_text(16_000))

    def document():
        columns = "id, state, progress, generation, chunk_count"
        rows = platform_up.rows(f"select {columns} from retrieval_document where filename = 'long-report.md'")
        assert len(rows) == 1
        return rows[0]

    for _ in range(2):
        eventually(
            lambda: (document()[1] == "embedding" and document()[2] > 0.02) or document()[1] == "indexed"
        )
        assert document()[1] == "embedding", "it was indexed before it could be interrupted"
        platform_up.kill("worker")
    eventually(lambda: document()[1] == "indexed", seconds=240)

    identity, _, _, generation, count = document()
    chunks = platform_up.rows(
        "select ordinal from retrieval_chunk where document_id = %s order by ordinal", identity
    )
    vectors = platform_up.rows(
        "select count(*) from retrieval_chunkembedding where document_id = %s and generation = %s",
        identity,
        generation,
    )
    assert [ordinal for (ordinal,) in chunks] == list(range(count)) and count > 50
    assert vectors == [(count,)]


def test_a_turn_whose_web_process_dies_is_answered_once(platform_up):
    with platform_up.signed_in("nimbus", "aoife@nimbus.example", "nimbus-demo-7") as client:
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    address = platform_up.url.replace("http", "ws") + "t/nimbus/ws/chat/"
    client_id = str(uuid4())

    async def ask_and_kill() -> str:
        async with websockets.connect(address, additional_headers={"Cookie": cookie}) as socket:
            question = "Which kinds of encryption key are there, what do they cost, and how are they rotated?"
            await socket.send(json.dumps({"type": "ask", "session": None, "id": client_id, "text": question}))
            while True:
                event = json.loads(await socket.recv())
                if event["type"] in ("turn.sources", "turn.delta"):
                    platform_up.kill("web")
                    return event["session"]

    async def come_back(session: str) -> dict:
        """As a browser does: try again until somebody answers, then follow the session to its end."""
        while True:
            try:
                async with websockets.connect(address, additional_headers={"Cookie": cookie}) as socket:
                    await socket.send(json.dumps({"type": "open", "session": session, "after": 0}))
                    while True:
                        frame = json.loads(await socket.recv())
                        if frame["type"] == "opened" and frame["turns"][0]["state"] == "completed":
                            return frame["turns"][0]
                        if frame["type"] in ("turn.completed", "turn.failed"):
                            return frame
            except (OSError, websockets.WebSocketException):
                await asyncio.sleep(0.3)

    session = asyncio.run(ask_and_kill())
    last = asyncio.run(asyncio.wait_for(come_back(session), 180))
    rows = platform_up.rows(
        "select state, answer, attempts, error from conversations_turn where session_id = %s", session
    )
    assert len(rows) == 1
    state, answer, attempts, error = rows[0]
    assert state == "completed" and answer == last["answer"] and attempts == 2, (state, error)
    traces = platform_up.rows(
        "select count(*) from conversations_turntrace t join conversations_turn u on u.id = t.turn_id where u.session_id = %s",
        session,
    )
    assert traces == [(1,)]


@pytest.mark.parametrize("role", ["valkey", "postgres"])
def test_the_platform_is_well_again_after_a_server_dies(platform_up, role):
    before = platform_up.rows("select count(*) from retrieval_chunk")
    platform_up.kill(role)

    def ready() -> bool:
        import httpx2

        try:
            return httpx2.get(f"{platform_up.url}readyz", timeout=5).status_code == 200
        except httpx2.HTTPError:
            return False

    eventually(ready)
    assert platform_up.rows("select count(*) from retrieval_chunk") == before
    with platform_up.signed_in("nimbus", "katrin@nimbus.example", "nimbus-demo-5") as client:
        assert client.get("chat/sessions").json()["sessions"]
