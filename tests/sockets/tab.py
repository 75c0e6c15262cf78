"""A browser tab's side of the chat socket, through the whole ASGI application in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from asgiref.testing import ApplicationCommunicator


class Tab(ApplicationCommunicator):
    async def send_frame(self, frame: Any) -> None:
        await self.send_text(json.dumps(frame))

    async def send_text(self, text: str) -> None:
        await self.send_input({"type": "websocket.receive", "text": text})

    async def send_bytes(self, data: bytes) -> None:
        await self.send_input({"type": "websocket.receive", "bytes": data})

    async def frame(self, timeout: float = 20) -> dict[str, Any]:
        message = await self.receive_output(timeout)
        assert message["type"] == "websocket.send", message
        return json.loads(message["text"])

    async def until(self, kind: str, limit: int = 400) -> list[dict[str, Any]]:
        """Every frame up to the first of a kind."""
        frames: list[dict[str, Any]] = []
        while len(frames) < limit:
            frames.append(await self.frame())
            if frames[-1]["type"] == kind:
                return frames
        raise AssertionError(f"no {kind} in {[frame['type'] for frame in frames]}")


@asynccontextmanager
async def opened_tab(
    path: str = "/t/acme/ws/chat/",
    cookie: str = "",
    origin: str = "http://testserver",
    subprotocols: tuple[str, ...] = (),
) -> AsyncIterator[Any]:
    """A connected `Tab`, or the code the connection was refused with."""
    from config.asgi import application

    headers = [(b"host", b"testserver"), (b"cookie", cookie.encode())]
    headers += [(b"origin", origin.encode())] if origin else []
    scope = {
        "type": "websocket",
        "path": path,
        "query_string": b"",
        "headers": headers,
        "subprotocols": list(subprotocols),
    }
    tab = Tab(application, scope)
    await tab.send_input({"type": "websocket.connect"})
    answer = await tab.receive_output(20)
    if answer["type"] != "websocket.accept":
        yield answer.get("code", 1000)
        return
    assert answer.get("subprotocol") in {None, "antecedent"}, answer
    try:
        yield tab
    finally:
        await tab.send_input({"type": "websocket.disconnect", "code": 1000})
        await asyncio.wait_for(tab.wait(timeout=5), 10)
