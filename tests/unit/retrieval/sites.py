"""A web site on this machine, for what fetches pages: each path is a handler that writes what it likes."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Handler = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Site:
    """What is at which path, and what was asked for."""

    port: int = 0
    paths: dict[str, Handler] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def page(
        self, path: str, body: bytes | str, *, type: str = "text/html", status: int = 200, **headers: str
    ) -> None:
        data = body.encode() if isinstance(body, str) else body

        def answer(request: BaseHTTPRequestHandler) -> None:
            respond(request, data, type, status, headers)

        self.paths[path] = answer

    def paths_asked(self) -> list[str]:
        return [path for path, _ in self.asked]


def respond(
    request: BaseHTTPRequestHandler, data: bytes, type: str, status: int, headers: dict[str, str]
) -> None:
    request.send_response(status)
    request.send_header("Content-Type", type)
    request.send_header("Content-Length", str(len(data)))
    for name, value in headers.items():
        request.send_header(name.replace("_", "-"), value)
    request.end_headers()
    request.wfile.write(data)


@contextmanager
def served() -> Iterator[Site]:
    site = Site()

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            handler = site.paths.get(self.path)
            try:
                if handler is None:
                    respond(self, b"no such page", "text/plain", 404, {})
                else:
                    handler(self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    socketserver.TCPServer.handle_error = lambda *_: None  # type: ignore[method-assign]
    site.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
