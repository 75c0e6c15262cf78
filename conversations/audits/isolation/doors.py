"""The doors: sockets and pages opened with somebody else's token, and ids of somebody else's conversation."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

from asgiref.testing import ApplicationCommunicator
from django.conf import settings
from django.utils.crypto import get_random_string

from conversations import wiring
from conversations.audits.isolation.ground import Ground, Side
from conversations.audits.isolation.trials import Leaked, nothing, trial
from tenants.devices import DEVICE_COOKIE

Communicator: Any = ApplicationCommunicator  # has no types
SECONDS = 30
FORGERY_TOKEN = get_random_string(32)
REFUSALS = {"session_not_found", "turn_not_found", "not_found", "closed"}


@trial("a socket with another tenant's token reaches no conversation")
def _foreign_token(ground: Ground) -> str:
    return _sockets(
        ground, ground.owner, ground.rival.insider_token, ground.rival, ground.owner.insider_token
    )


@trial("a socket of another person of the same tenant reaches no conversation")
def _other_person(ground: Ground) -> str:
    return _sockets(ground, ground.owner, ground.owner.outsider_token)


@trial("a conversation's id is worth nothing on a page of anybody else")
def _pages(ground: Ground) -> str:
    owner, rival = ground.owner, ground.rival
    visitors = [
        (owner, owner.outsider_token),
        (rival, rival.insider_token),
        (rival, owner.insider_token),
        (owner, rival.insider_token),
        (owner, ""),
    ]
    paths = [
        ("GET", "chat/sessions"),
        ("DELETE", f"chat/sessions/{owner.session_id}"),
        ("GET", f"chat/passages/{owner.restricted_chunk_id}"),
    ]
    asked = [(side, token, *path) for side, token in visitors for path in paths]
    answers = [wiring.run_apart(_request(ground, *one)) for one in asked]
    nothing([body for _, body in answers if owner.inner_secret in body], "answers with the owner's secret")
    nothing([b for _, b in answers if str(owner.session_id) in b], "answers with the owner's conversation")
    known, text = wiring.run_apart(
        _request(ground, owner, owner.insider_token, "GET", f"chat/passages/{owner.restricted_chunk_id}")
    )
    if known != 200 or owner.inner_secret not in text:
        raise Leaked(f"the owner's own passage was not opened ({known}): the check proves nothing")
    return f"{len(answers)} requests, refused or without anything of the owner's"


def _sockets(ground: Ground, owner: Side, *visits: Any) -> str:
    """Every command about the owner's conversation, by a token at the owner's address or a side with its token."""
    tokens = [(owner, visits[0])]
    if len(visits) > 1:
        tokens.append((visits[1], visits[2]))
    told: list[str] = []
    for side, token in tokens:
        told += wiring.run_apart(_attempts(ground, side, token, owner))
    own = wiring.run_apart(_attempts(ground, owner, owner.insider_token, owner, only="open"))
    if not set(own) & {"opened", "turn.completed"}:
        raise Leaked(f"the owner could not open its own conversation ({own}): the check proves nothing")
    nothing([one for one in told if one not in REFUSALS], "commands that were not refused")
    return f"{len(told)} commands refused"


async def _attempts(ground: Ground, side: Side, token: str, owner: Side, *, only: str = "") -> list[str]:
    session, turn = str(owner.session_id), str(owner.turn_id)
    frames: list[dict[str, Any]] = [
        {"type": "open", "session": session, "after": 0},
        {"type": "ask", "session": session, "id": str(uuid4()), "text": "What did I ask before?"},
        {"type": "stop", "turn": turn},
        {"type": "retry", "turn": turn, "id": str(uuid4())},
        {"type": "rate", "turn": turn, "rating": "up"},
    ]
    async with _socket(ground, side, token) as ask:
        return [await ask(frame) for frame in frames if not only or frame["type"] == only]


@asynccontextmanager
async def _socket(
    ground: Ground, side: Side, token: str
) -> AsyncIterator[Callable[[dict[str, Any]], Coroutine[Any, Any, str]]]:
    """A function that sends a command and returns what came of it: the frame's type, the error's code, "closed"."""
    scope = {
        "type": "websocket",
        "path": f"/t/{side.tenant.slug}/ws/chat/",
        "query_string": b"",
        "headers": _headers(token),
        "subprotocols": [],
    }
    socket = Communicator(ground.application, scope)
    await socket.send_input({"type": "websocket.connect"})
    opened = (await socket.receive_output(SECONDS))["type"] == "websocket.accept"

    async def heard() -> dict[str, Any] | None:
        message = await socket.receive_output(SECONDS)
        return json.loads(message["text"]) if message["type"] == "websocket.send" else None

    async def ask(frame: dict[str, Any]) -> str:
        nonlocal opened
        told = [
            "obeyed"
        ]  # not every command is answered: what the ping that follows overtakes was not refused
        for sent in (frame, {"type": "ping"}) if opened else ():
            await socket.send_input({"type": "websocket.receive", "text": json.dumps(sent)})
        while opened and (answer := await heard()) != {"type": "pong"}:
            opened = answer is not None
            told.append(_outcome(answer))
        return told[-1] if opened else "closed"

    try:
        yield ask
    finally:
        await socket.send_input({"type": "websocket.disconnect", "code": 1000})
        await socket.wait(SECONDS)


def _outcome(answer: dict[str, Any] | None) -> str:
    if answer is None:
        return "closed"
    return str(answer.get("code") if answer["type"] == "error" else answer["type"])


async def _request(ground: Ground, side: Side, token: str, method: str, path: str) -> tuple[int, str]:
    """(status, body) of a request to a tenant's address."""
    scope = {
        "type": "http",
        "method": method,
        "path": f"/t/{side.tenant.slug}/{path}",
        "query_string": b"",
        "headers": [*_headers(token), (b"accept", b"application/json")],
    }
    request = Communicator(ground.application, scope)
    await request.send_input({"type": "http.request", "body": b""})
    start = await request.receive_output(SECONDS)
    body = b""
    more = True
    while more:
        part = await request.receive_output(SECONDS)
        body, more = body + part.get("body", b""), part.get("more_body", False)
    await request.wait(SECONDS)
    return start["status"], body.decode("utf-8", "replace")


def _host() -> bytes:
    """A name that this installation answers to."""
    named = next((name for name in settings.ALLOWED_HOSTS if name != "*"), "selftest.invalid")
    return named.lstrip("*.").encode()


def _headers(token: str) -> list[tuple[bytes, bytes]]:
    """As a page of the site sends them: its forgery token is right, so that only the person can be wrong."""
    cookies = [f"csrftoken={FORGERY_TOKEN}", *([f"{DEVICE_COOKIE}={token}"] if token else [])]
    return [
        (b"host", _host()),
        (b"cookie", "; ".join(cookies).encode()),
        (b"x-csrftoken", FORGERY_TOKEN.encode()),
    ]
