"""Sitemaps: XML lists of pages, lists of such lists, and plain lists of addresses, packed or not."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from lxml import etree

from retrieval.adapters.fetch.http import unpacked
from retrieval.domain.errors import SitemapInvalid, SourceTooLarge

_LISTED = 100_000


@dataclass(frozen=True, slots=True)
class Sitemap:
    """Addresses of pages and of further sitemaps, in order."""

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


def read_sitemap(data: bytes, *, limit: int) -> Sitemap:
    """Raises SitemapInvalid, or SourceTooLarge for one that unpacks to more than `limit` bytes."""
    data = _unpacked(data, limit) if data.startswith(b"\x1f\x8b") else data
    text = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] != b"<":
        return Sitemap(pages=_plain(text))
    return _xml(text)


def _unpacked(data: bytes, limit: int) -> bytes:
    found = bytearray()
    try:
        for piece in unpacked(iter([data])):
            found += piece
            if len(found) > limit:
                raise SourceTooLarge(limit_mb=max(1, limit // 1_048_576))
    except zlib.error as error:
        raise SitemapInvalid from error
    return bytes(found)


def _plain(text: bytes) -> tuple[str, ...]:
    lines = text.decode("utf-8", "replace").split()
    if not lines or not all(line.lower().startswith(("http://", "https://")) for line in lines[:20]):
        raise SitemapInvalid
    return tuple(lines[:_LISTED])


def _xml(text: bytes) -> Sitemap:
    """Read with entities left alone: a sitemap has no use for them."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(text, parser)
    except etree.XMLSyntaxError as error:
        raise SitemapInvalid from error
    kind = etree.QName(root).localname
    if kind not in ("urlset", "sitemapindex"):
        raise SitemapInvalid
    found = tuple(_locations(root))
    return Sitemap(pages=found) if kind == "urlset" else Sitemap(sitemaps=found)


def _locations(root: etree._Element) -> list[str]:
    """The `loc` of each entry itself, not of the pictures and videos inside it."""
    return [
        (place.text or "").strip()
        for entry in root[:_LISTED]
        for place in entry
        if isinstance(place.tag, str) and etree.QName(place).localname == "loc" and place.text
    ]
