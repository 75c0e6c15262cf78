"""A tenant's own program that is told of events, and may be slow, broken or gone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """`status` is what it answers; with `silent` it answers nothing until it is closed, with `drips` a byte at a time."""

    url: str = ""
    status: int = 200
    silent: bool = False
    drips: bool = False
    got: list[Received] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.got.append(Received(self.path, headers, body))
            if receiver.silent:
                receiver.closing.wait(30)
                return
            if receiver.drips:
                for byte in b"HTTP/1.1 200 OK\r\nx-slow: " + b"a" * 300:
                    if receiver.closing.wait(0.1):
                        return
                    try:
                        self.wfile.write(bytes([byte]))
                    except OSError:
                        return
                return
            self.send_response(receiver.status)
            self.send_header("location", receiver.url + "elsewhere")
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield receiver
    finally:
        receiver.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
