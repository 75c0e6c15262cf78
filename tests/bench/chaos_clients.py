"""People who chat and a program that uploads, as patient as the widget and a good integration are."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import count, takewhile
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import websockets

from tests.browser.conftest import Platform

ROOT = Path(__file__).parents[2]
PEOPLE = (
    ("ingrid@nimbus.example", "nimbus-demo-1"),
    ("katrin@nimbus.example", "nimbus-demo-5"),
    ("tom@nimbus.example", "nimbus-demo-6"),
    ("aoife@nimbus.example", "nimbus-demo-7"),
)
QUESTIONS = (
    "What is the RPO in Frankfurt?",
    "And in Dublin?",
    "How is it measured there?",
    "Which kinds of encryption key are there?",
    "How are they rotated?",
    "What does support cost?",
    "Go back to Frankfurt: what is the RTO?",
)
REPLY_SECONDS = 15.0
READING_SECONDS = 1.5
"""What a person takes to read an answer."""
UPLOAD_SECONDS = 2.0
"""From one file of a program to its next."""
GoOn = Callable[[], bool]
ENDS = {"turn.completed", "turn.failed", "turn.stopped", "turn.joined"}
_KEY = """
from tenants.models import Tenant
from tenants.scoping import tenant_scope
from tenants.services.keys import api_key_create
from retrieval.models import Corpus
with tenant_scope(Tenant.objects.get(slug="nimbus").pk):
    key, shown = api_key_create(name="chaos", scopes=["ingest"])
    print("made:" + shown + " " + str(Corpus.objects.order_by("name").first().pk))
"""


class Away(Exception):
    """The platform does not answer now: come back and try again."""


class Chats:
    """`turns` questions at least, shared out among people with a conversation and a socket each, while `go_on` says so."""

    def __init__(self, platform: Platform, turns: int, go_on: GoOn) -> None:
        self._platform, self._left, self._go_on = platform, turns, go_on
        self._address = platform.url.replace("http", "ws") + "t/nimbus/ws/chat/"
        self.acknowledged: set[str] = set()
        self.connections = 0
        self.sent_again: Counter[str] = Counter()

    async def run(self) -> None:
        cookies = [await asyncio.to_thread(self._cookie, *person) for person in PEOPLE]
        await asyncio.gather(*(self._chat(cookie) for cookie in cookies * 2))

    def _cookie(self, email: str, password: str) -> str:
        for _ in range(60):
            try:
                with self._platform.signed_in("nimbus", email, password) as client:
                    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())
            except (httpx2.HTTPError, AssertionError, KeyError):
                continue
        raise SystemExit(f"{email} could not sign in")

    async def _chat(self, cookie: str) -> None:
        session: str | None = None
        asked = 0
        while self._left > 0 or self._go_on():
            self._left -= 1
            session = await self._ask(cookie, session, QUESTIONS[asked % len(QUESTIONS)])
            asked += 1
            await asyncio.sleep(READING_SECONDS)

    async def _ask(self, cookie: str, session: str | None, text: str) -> str | None:
        """One question until its answer has ended. The same id goes out again after every broken connection."""
        client_id, tries = str(uuid4()), 0
        while True:
            tries += 1
            try:
                self.connections += 1
                async with websockets.connect(self._address, additional_headers={"Cookie": cookie}) as socket:
                    return await self._talk(socket, session, client_id, text)
            except (OSError, websockets.WebSocketException, TimeoutError, Away) as broken:
                self.sent_again[str(broken) if isinstance(broken, Away) else type(broken).__name__] += 1
                await asyncio.sleep(min(0.2 * tries, 3))

    async def _talk(self, socket: Any, session: str | None, client_id: str, text: str) -> str | None:
        await socket.send(json.dumps({"type": "ask", "session": session, "id": client_id, "text": text}))
        turn = None
        while True:
            frame = json.loads(await asyncio.wait_for(socket.recv(), REPLY_SECONDS))
            if frame["type"] == "error":
                raise Away(frame["code"])
            if frame["type"] == "opened":
                mine = [one for one in frame["turns"] if one["client_id"] == client_id]
                if mine:
                    self.acknowledged.add(client_id)
                    turn = mine[0]["id"]
                    if mine[0]["state"] in ("completed", "failed", "stopped", "joined"):
                        return str(frame["session"])
            if frame.get("client_id") == client_id:
                self.acknowledged.add(client_id)
                turn = frame["turn"]
            if turn is not None and frame.get("turn") == turn and frame["type"] in ENDS:
                return str(frame["session"])


class Uploads:
    """`documents` Markdown files at least, by REST, four at a time, while `go_on` says so.

    Each goes with an idempotency key that stays the same.
    """

    def __init__(self, platform: Platform, documents: int, go_on: GoOn) -> None:
        self._platform, self._documents, self._go_on = platform, documents, go_on
        self.acknowledged: set[str] = set()
        self.sent_again: Counter[str] = Counter()

    async def run(self) -> None:
        key, corpus = await asyncio.to_thread(self._key)
        numbers = takewhile(lambda number: number < self._documents or self._go_on(), count())
        async with httpx2.AsyncClient(
            base_url=self._platform.url, headers={"Authorization": f"Bearer {key}"}, timeout=REPLY_SECONDS
        ) as client:
            await asyncio.gather(*(self._some(client, corpus, numbers) for _ in range(4)))

    def _key(self) -> tuple[str, str]:
        env = {**os.environ, "ANTECEDENT_STATE": str(self._platform.state)}
        command = [sys.executable, "manage.py", "shell", "-v0", "-c", _KEY]
        for _ in range(20):
            done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
            if "made:" in done.stdout:
                key, corpus = done.stdout.split("made:")[1].split()
                return key, corpus
        raise SystemExit(f"no key could be made: {done.stderr[-2000:]}")

    async def _some(self, client: httpx2.AsyncClient, corpus: str, numbers: Any) -> None:
        for number in numbers:
            await self._upload(client, corpus, f"chaos-{number:04}.md")
            await asyncio.sleep(UPLOAD_SECONDS)

    async def _upload(self, client: httpx2.AsyncClient, corpus: str, name: str) -> None:
        body, repeat, tries = _text(name).encode(), str(uuid4()), 0
        while True:
            tries += 1
            try:
                answer = await client.post(
                    f"api/v1/corpora/{corpus}/documents",
                    files={"file": (name, body, "text/markdown")},
                    headers={"Idempotency-Key": repeat},
                )
                if answer.status_code in (200, 201, 202):
                    self.acknowledged.add(name)
                    return
                why = str(answer.status_code)
                if answer.status_code < 500 and answer.status_code not in (409, 429):
                    raise SystemExit(f"{name} was refused: {answer.status_code} {answer.text[:500]}")
            except httpx2.HTTPError as broken:
                why = type(broken).__name__
            self.sent_again[why] += 1
            await asyncio.sleep(min(0.2 * tries, 3))


def _text(name: str) -> str:
    """Three sections that become a passage each, no two files alike.

    Short, so that a worker indexes files faster than they come and what waits at the end waits because of a fault.
    """
    lines = [f"# Report {name}"]
    for part in ("Harbour", "Viaduct", "Orchard"):
        lines.append(f"\n## {part}\n")
        lines += [
            f"{part} entry {n} of {name}: the gauge stood at {hash((name, part, n)) % 9999}."
            for n in range(3)
        ]
    return "\n".join(lines)
