"""What can be told of a host without looking it up."""

from __future__ import annotations

import ipaddress
import socket

_LOCAL_NAMES = ("localhost", "localdomain", "local", "internal", "intranet", "lan", "home.arpa")
"""Names that no public site has, by RFC 6761, 6762, 8375 and what networks call their own."""


def literal_address(host: str) -> str | None:
    """The address that a host is in itself; None for a name, which has to be looked up.

    Resolvers take an IPv4 address in any of the notations of old: one number or up to four, each decimal, octal or
    hexadecimal.
    """
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        return str(ipaddress.IPv4Address(socket.inet_aton(host)))
    except (OSError, UnicodeEncodeError):
        return None


def is_local_name(host: str) -> bool:
    """Whether a name is one that only means something inside a network."""
    return any(host == name or host.endswith(f".{name}") for name in _LOCAL_NAMES)
