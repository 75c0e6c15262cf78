"""Pages that are fetched from their address instead of being uploaded.

A page is known by its address, written in one way whatever a person typed. It is asked for again with the marks
its site gave last time, so that a page that has not changed costs nothing. A sitemap lists the pages of a site;
only pages of that same site are taken from it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from retrieval.domain.errors import SourceInvalid
from retrieval.domain.ports import Heartbeat

URL_CHARACTERS = 2000
_SUFFIXES = frozenset(
    ".pdf .docx .docm .pptx .pptm .xlsx .xlsm .xlsb .xls .ods .csv .tsv .tab .html .htm .xhtml .md .markdown .txt".split()
)
_BY_TYPE = {
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
}
_DEFAULT_PORTS = {"http": 80, "https": 443}
_UNWELCOME = re.compile(r"[\x00-\x20\x7f\\]")


@dataclass(frozen=True, slots=True)
class Validators:
    """What a site said of the version it sent last: an entity tag and a date, either may be empty."""

    etag: str = ""
    modified: str = ""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """What an address answered. `unchanged` means that the version before still holds; then there is no data."""

    url: str
    data: bytes = b""
    content_type: str = ""
    validators: Validators = Validators()
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class SiteListing:
    """Pages of a sitemap, in its order: those taken, and how many it names altogether."""

    pages: tuple[str, ...]
    listed: int


class SourceFetcher(Protocol):
    """Reads public addresses for tenants. Raises a SourceError with the reason; some are worth a retry."""

    def check(self, url: str) -> None:
        """Refuse what can be refused without asking anybody: the scheme, the port, a private address."""
        ...

    def fetch(self, url: str, *, known: Validators | None = None) -> FetchedPage: ...

    def pages(self, url: str, *, limit: int, heartbeat: Heartbeat) -> SiteListing:
        """Up to `limit` pages of the sitemap at `url`, or of the site whose start page `url` is."""
        ...


def normal_url(text: str) -> str:
    """One spelling for an address: lower-case host, no fragment, ASCII only. Raises SourceInvalid."""
    text = text.strip()
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").rstrip(".").encode("idna").decode("ascii")
        port = parts.port
    except (ValueError, UnicodeError) as error:
        raise SourceInvalid(url=text[:200]) from error
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS or not host or parts.username is not None or _UNWELCOME.search(text):
        raise SourceInvalid(url=text[:200])
    where = f"[{host}]" if ":" in host else host
    if port is not None and port != _DEFAULT_PORTS[scheme]:
        where = f"{where}:{port}"
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    url = urlunsplit((scheme, where, path, quote(parts.query, safe="/?%:@!$&'()*+,;=~-._"), ""))
    if len(url) > URL_CHARACTERS:
        raise SourceInvalid(url=text[:200])
    return url


def port_of(url: str) -> int:
    parts = urlsplit(url)
    return parts.port or _DEFAULT_PORTS[parts.scheme]


def origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def same_site(url: str, other: str) -> bool:
    """Whether two addresses are of one host, with or without `www.`."""
    return _bare_host(url) == _bare_host(other)


def source_filename(url: str, content_type: str = "") -> str:
    """A file name for a page that no other address has. Its ending says how to read what has no marks of its own."""
    path = PurePosixPath(unquote(urlsplit(url).path))
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES or suffix in (".html", ".htm", ".xhtml", ".txt"):
        suffix = _BY_TYPE.get(content_type, suffix if suffix in _SUFFIXES else ".html")
    stem = re.sub(r"[^\w.-]+", "-", path.stem).strip("-.")[:120] or (urlsplit(url).hostname or "page")
    return f"{stem}-{hashlib.sha256(url.encode()).hexdigest()[:12]}{suffix}"


def source_title(url: str) -> str:
    """What a page is called until it has been read."""
    parts = urlsplit(url)
    return f"{parts.hostname}{unquote(parts.path).rstrip('/')}"[:300]


def _bare_host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")
