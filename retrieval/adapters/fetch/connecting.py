"""Connections that go to the address that was checked, and end when their time is over.

A name is resolved once, every address it has is judged, and the connection is made to one of those very
addresses: there is no second look-up that could answer otherwise. The name stays in the request and in the
certificate check.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import httpcore2

from kernel.addresses import is_loopback, is_public
from retrieval.domain.errors import (
    SourceAddressRefused,
    SourceHostUnknown,
    SourcePortRefused,
    SourceTooSlow,
)

Resolver = Callable[[str, int], list[str]]


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """What may be asked, and how much of it. Sizes in bytes, times in seconds, for one address with its redirects.

    `allow_loopback` is for tests alone: their sites run on this machine.
    """

    max_bytes: int = 26_214_400
    seconds: float = 30.0
    connect_seconds: float = 8.0
    redirects: int = 5
    ports: frozenset[int] = frozenset({80, 443})
    user_agent: str = "Antecedent"
    sitemap_bytes: int = 20_000_000
    sitemap_files: int = 50
    allow_loopback: bool = False

    def check_port(self, port: int) -> None:
        if port not in self.ports:
            raise SourcePortRefused(port=port)

    def check_address(self, host: str, address: str) -> None:
        if not is_public(address) and not (self.allow_loopback and is_loopback(address)):
            raise SourceAddressRefused(host=host)


class Deadline:
    """The moment when one fetch, whatever it is waiting for, has taken long enough."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = time.monotonic() + seconds

    def left(self, at_most: float | None = None) -> float:
        """Seconds left, never 0. Raises SourceTooSlow."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise SourceTooSlow(seconds=round(self.seconds))
        return left if at_most is None else min(left, at_most)


def resolve(host: str, port: int) -> list[str]:
    """Addresses of a host, by the system's resolver. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class GuardedBackend(httpcore2.NetworkBackend):
    """The network as httpcore sees it: checked addresses, and no step beyond the deadline."""

    def __init__(self, policy: FetchPolicy, deadline: Deadline, resolver: Resolver = resolve) -> None:
        self._policy = policy
        self._deadline = deadline
        self._resolver = resolver
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        self._policy.check_port(port)
        addresses = self._addresses(host, port)
        for address in addresses:
            self._policy.check_address(host, address)
        return _TimedStream(self._connect(addresses, port), self._deadline)

    def connect_unix_socket(self, *args: Any, **options: Any) -> httpcore2.NetworkStream:
        raise SourceAddressRefused(host="a socket of this machine")

    def sleep(self, seconds: float) -> None:
        time.sleep(self._deadline.left(seconds))

    def _connect(self, addresses: list[str], port: int) -> httpcore2.NetworkStream:
        """The first address that takes the connection; the reason of the last if none does."""
        for address in addresses[:-1]:
            try:
                return self._connect_one(address, port)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return self._connect_one(addresses[-1], port)

    def _connect_one(self, address: str, port: int) -> httpcore2.NetworkStream:
        return self._inner.connect_tcp(address, port, self._deadline.left(self._policy.connect_seconds))

    def _addresses(self, host: str, port: int) -> list[str]:
        """Resolve in a thread of its own: the system's resolver knows no time limit."""
        found: list[str] = []

        def look_up() -> None:
            try:
                found.extend(self._resolver(host, port))
            except (OSError, UnicodeError):
                return

        thread = threading.Thread(target=look_up, daemon=True)
        thread.start()
        thread.join(self._deadline.left(self._policy.connect_seconds))
        addresses = list(found)
        if not addresses:
            raise SourceHostUnknown(host=host)
        return addresses


class _TimedStream(httpcore2.NetworkStream):
    """A stream whose every step waits no longer than the whole fetch may still take."""

    def __init__(self, inner: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._deadline.left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        inner = self._inner.start_tls(ssl_context, server_hostname, self._deadline.left())
        return _TimedStream(inner, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
