"""A real web server and clients that never finish what they say, or say too much."""

from __future__ import annotations

import asyncio
import itertools
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from config import serving
from embedded.application import Web


async def application(scope, receive, send):
    """Reads what it is sent and says how much that was; a socket only listens."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass
        return
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@contextmanager
def server() -> Iterator[int]:
    """With the arguments that the platform starts its web process with."""
    given = Web("127.0.0.1", 0, dict)._arguments
    options = dict(itertools.pairwise(given))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(16)
        config = uvicorn.Config(
            application, log_level="critical", lifespan="off", http=options["--http"], ws=options["--ws"],
            ws_max_size=int(options["--ws-max-size"]), ws_ping_interval=0.3, ws_ping_timeout=0.3,
        )  # fmt: skip
        running = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(running.serve(sockets=[listening])))
        thread.start()
        while not running.started:
            time.sleep(0.01)
        try:
            yield listening.getsockname()[1]
        finally:
            running.should_exit = True
            thread.join(20)


@pytest.fixture
def port(monkeypatch) -> Iterator[int]:
    monkeypatch.setattr(serving, "HEADER_SECONDS", 0.4)
    monkeypatch.setattr(serving, "BODY_SECONDS", 0.4)
    with server() as number:
        yield number


def sent(port: int, *pieces: bytes, pause: float = 0.0) -> bytes:
    """What the server says to these pieces until it closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        try:
            for piece in pieces:
                client.sendall(piece)
                time.sleep(pause)
            heard = b""
            while part := client.recv(4096):
                heard += part
        except (ConnectionResetError, BrokenPipeError):
            return b""
    return heard


def test_nothing_at_all_is_closed(port):
    assert sent(port) == b""


def test_a_head_that_trickles_in_is_closed_however_lively_it_is(port):
    head = b"GET / HTTP/1.1\r\nHost: x\r\n"
    assert sent(port, head, *[b"X-A: b\r\n"] * 40, pause=0.05) == b""


def test_a_body_that_stops_is_closed(port):
    assert sent(port, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc") == b""


def test_a_head_without_end_is_closed(port):
    assert b"200" not in sent(
        port, b"GET / HTTP/1.1\r\nHost: x\r\n", *[b"X-A: " + b"a" * 4000 + b"\r\n"] * 40
    )


def test_a_body_that_comes_slowly_but_comes_is_read(port):
    parts = [b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 12\r\n\r\n", *[b"ab"] * 6]
    assert b"200 OK" in sent(port, *parts, pause=0.1)


def test_a_large_body_in_one_go_is_read(port):
    head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3000000\r\n\r\n"
    assert b"200 OK" in sent(port, head + b"a" * 3_000_000)


def test_a_second_request_of_a_connection_has_its_own_time(port):
    one = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    assert sent(port, one, one, pause=0.1).count(b"200 OK") == 2


def test_an_oversized_frame_ends_the_socket(port):
    with connect(f"ws://127.0.0.1:{port}/", max_size=None) as tab:
        tab.send("x" * 600_000)
        with pytest.raises(ConnectionClosed) as closed:
            tab.recv(timeout=20)
    assert closed.value.rcvd.code == 1009


def test_a_socket_whose_other_end_is_gone_is_closed(port):
    shake = (
        b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    assert b"101" in sent(port, shake)  # answers no ping, and `sent` returns when the server closes
