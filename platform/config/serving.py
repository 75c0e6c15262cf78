"""The HTTP side of a web process, which waits for nobody for ever: a slow sender is closed, not kept."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from config import environment as env

HEADER_SECONDS = env.number("HTTP_HEADER_SECONDS", 15)
BODY_SECONDS = env.number("HTTP_BODY_SECONDS", 30)
MOST_HEADER_BYTES = 64 * 1024


class Impatient(HttpToolsProtocol):
    """Gives a client so many seconds for the head of a request, and so many between two pieces of its body.

    uvicorn itself counts only the time between two requests: whoever sends a byte a minute would hold a connection,
    and with a body also its buffer, as long as they like.
    """

    _deadline: asyncio.TimerHandle | None = None
    _head: int = 0
    _in_head: bool = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._expect(HEADER_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head += len(data)
            if self._head > MOST_HEADER_BYTES and not self._within_one_read(data):
                self.transport.close()
                return
        super().data_received(data)

    def _within_one_read(self, data: bytes) -> bool:
        """A body may come in the same read as the end of its head."""
        return b"\r\n\r\n" in data[:MOST_HEADER_BYTES]

    def on_message_begin(self) -> None:
        self._in_head = True
        self._expect(HEADER_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head, self._head = False, 0
        self._expect(BODY_SECONDS)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._expect(BODY_SECONDS)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_head = True
        self._expect(None)
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        self._expect(None)
        super().handle_websocket_upgrade()

    def _expect(self, seconds: float | None) -> None:
        """Close the connection unless something is heard within so many seconds; None: wait."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(seconds, self._give_up) if seconds is not None else None

    def _give_up(self) -> None:
        if self.flow.read_paused:  # it is we who are slow: the application has not taken what was sent
            self._expect(BODY_SECONDS)
            return
        self.transport.close()
