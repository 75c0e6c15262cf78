"""Free TCP ports."""

from __future__ import annotations

import errno
import random
import socket
import time

LOOPBACK = "127.0.0.1"
# Below the range that Linux hands to outgoing connections (32768 and up), so that a port kept for the next
# start is not taken by a browser in between.
_PERSISTENT = range(20_000, 32_000)


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether a server could listen on the port now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return False
            raise
    return True


def choose_persistent(preferred: int | None = None, *, patience: float = 2.0) -> int:
    """The preferred port if it is free within `patience` seconds, else a random free one that suits to be remembered.

    A server that was just killed lets go of its port a moment later.
    """
    until = time.monotonic() + patience
    while preferred:
        if is_free(preferred):
            return preferred
        if time.monotonic() >= until:
            break
        time.sleep(0.02)
    return next(port for port in random.sample(_PERSISTENT, 1000) if is_free(port))


def next_free(port: int, host: str = LOOPBACK, tries: int = 100) -> int:
    """The first free port from `port` upwards.

    Raises OSError when none of the next `tries` is free.
    """
    for candidate in range(port, min(port + tries, 65_536)):
        if is_free(candidate, host):
            return candidate
    raise OSError(errno.EADDRINUSE, f"No free port between {port} and {port + tries} on {host}")
