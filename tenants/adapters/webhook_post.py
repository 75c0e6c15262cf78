"""One POST to an address that a tenant named: to public addresses only, and over within seconds.

The name is resolved once, every address is judged, and the connection goes to one of those very addresses, so that no
second look-up can answer otherwise. Nothing is followed and nothing of the answer is kept but its status.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as ResolvingTooSlow
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

from kernel.addresses import is_loopback, is_public

SECONDS = 5.0
_resolving = ThreadPoolExecutor(max_workers=8, thread_name_prefix="webhook-names")


@dataclass(frozen=True, slots=True)
class Posted:
    """`status` is None where there was no answer; `reason` is empty when it was taken."""

    status: int | None
    reason: str
    milliseconds: int


class _Refused(Exception):
    """Why nothing was sent."""


def post(
    url: str, body: bytes, headers: Mapping[str, str], *, seconds: float = SECONDS, loopback: bool = False
) -> Posted:
    """Send, and say how it went; never raises. `loopback` lets this machine be told, for development and tests."""
    started = time.monotonic()
    try:
        status = _sent(urlsplit(url), body, headers, started + seconds, loopback)
        reason = "" if 200 <= status < 300 else f"The address answered with status {status}."
    except _Refused as refused:
        status, reason = 0, str(refused)
    except ssl.SSLError as error:
        status, reason = 0, f"No secure connection: {getattr(error, 'reason', '') or 'TLS failed'}."
    except (OSError, http.client.HTTPException, ResolvingTooSlow, ValueError) as error:
        is_late = time.monotonic() - started >= seconds or isinstance(error, TimeoutError)
        status = 0
        reason = f"No answer within {seconds:.0f} seconds." if is_late else "The connection failed."
    return Posted(status or None, reason[:300], round((time.monotonic() - started) * 1000))


def _sent(url: SplitResult, body: bytes, headers: Mapping[str, str], until: float, loopback: bool) -> int:
    host, secure = url.hostname or "", url.scheme == "https"
    port = url.port or (443 if secure else 80)
    connected = _connect(host, port, until, loopback)
    # One alarm for everything that follows: an answer that drips in byte by byte ends it too.
    alarm = threading.Timer(_left(until), _cut, (connected,))
    alarm.start()
    try:
        stream = _tls().wrap_socket(connected, server_hostname=host) if secure else connected
        with stream:
            connection = http.client.HTTPConnection(host, port)
            connection.sock = stream
            connection.request("POST", _path(url), body, dict(headers))
            return connection.getresponse().status
    finally:
        alarm.cancel()
        connected.close()


def _connect(host: str, port: int, until: float, loopback: bool) -> socket.socket:
    found = _resolving.submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found.result(_left(until))))
    except (socket.gaierror, UnicodeError):
        raise _Refused(f"There is no address for {host}.") from None
    for address in addresses:
        if not is_public(address) and not (loopback and is_loopback(address)):
            raise _Refused(f"{host} is not an address of the public internet.")
    for address in addresses[:-1]:
        with suppress(OSError):
            return socket.create_connection((address, port), timeout=_left(until))
    return socket.create_connection((addresses[-1], port), timeout=_left(until))


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _cut(connected: socket.socket) -> None:
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _path(url: SplitResult) -> str:
    return (url.path or "/") + (f"?{url.query}" if url.query else "")


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()
