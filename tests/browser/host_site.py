"""A customer's site: pages with headers of their own, from another origin than the platform's.

`localhost` and `127.0.0.1` are two sites to a browser, so that what is third-party in the field is third-party here.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Alder Library</title>
<meta name="viewport" content="width=device-width, initial-scale=1">{head}</head>
<body><main><h1>Alder Library</h1><p>Opening hours, loans and rooms.</p><a href="#hours">Hours</a>{body}</main></body></html>"""


@dataclass
class HostSite:
    """Serves what `page` was told, at `origin`."""

    port: int
    pages: dict[str, tuple[str, dict[str, str]]] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        return f"http://localhost:{self.port}"

    def page(self, path: str, *, head: str = "", body: str = "", headers: Mapping[str, str] = {}) -> str:
        """Serve this page from now on; its address."""
        self.pages[path] = (PAGE.format(head=head, body=body), dict(headers))
        return f"{self.origin}{path}"


@contextmanager
def host_site(port: int = 0) -> Iterator[HostSite]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = site.pages.get(self.path.split("?")[0])
            text, headers = found or ("", {})
            self.send_response(200 if found else 404)
            for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    site = HostSite(server.server_address[1])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()


class Tunnel:
    """A proxy between the browser and the platform: it can cut every WebSocket, and go down with all it carries."""

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname or "", parts.port or 80)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._carried: list[socket.socket] = []
        self.cuts_sockets = self.is_down = False
        self.refused = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}/"

    def go_down(self) -> None:
        """As when the network is lost: what was open breaks, nothing new gets through."""
        self.is_down = True
        for carried in self._carried:
            _shut(carried)
        self._carried.clear()

    def come_back(self) -> None:
        self.is_down = False

    def close(self) -> None:
        self.go_down()
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                browser, _ = self._listening.accept()
                threading.Thread(target=self._carry, args=(browser,), daemon=True).start()

    def _carry(self, browser: socket.socket) -> None:
        with suppress(OSError):
            head = browser.recv(65_536)
            if self.is_down or (self.cuts_sockets and b"upgrade: websocket" in head.lower()):
                self.refused += 1
                _shut(browser)
                return
            platform = socket.create_connection(self._target)
            self._carried += [browser, platform]
            platform.sendall(head)
            threading.Thread(target=_pump, args=(platform, browser), daemon=True).start()
            _pump(browser, platform)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
    _shut(sink)


def _shut(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
