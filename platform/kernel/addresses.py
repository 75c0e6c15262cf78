"""Which network addresses a tenant may make this platform ask or tell: public ones only."""

from __future__ import annotations

import ipaddress
from ipaddress import IPv4Address, IPv6Address

_Address = IPv4Address | IPv6Address
_REFUSED = tuple(
    ipaddress.ip_network(network)
    for network in (
        "168.63.129.16/32",  # a cloud's metadata service on a public address
        "192.0.0.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "240.0.0.0/4",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",  # Teredo and other protocol assignments
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fec0::/10",
    )
)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def is_public(text: str) -> bool:
    """Whether an address is of the public internet, looking through every IPv6 form that carries an IPv4 one."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return all(map(_is_public, (address, *_carried(address))))


def is_loopback(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    return any(one.is_loopback for one in (address, *_carried(address)))


def _is_public(address: _Address) -> bool:
    if isinstance(address, IPv6Address) and (address.ipv4_mapped or address in _NAT64):
        return True  # judged by the address inside
    if not address.is_global or address.is_multicast or address.is_reserved or address.is_unspecified:
        return False
    return not any(address in network for network in _REFUSED if network.version == address.version)


def _carried(address: _Address) -> list[IPv4Address]:
    if isinstance(address, IPv4Address):
        return []
    inside = [address.ipv4_mapped, address.sixtofour]
    if address in _NAT64 or int(address) >> 32 == 0:
        inside.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return [one for one in inside if one is not None]
