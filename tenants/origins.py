"""Origins of web pages: where a widget may be embedded.

An allowed origin is `https://shop.example`, with a port where it is not the scheme's own, or `https://*.shop.example`
for every name below it (not for `shop.example` itself), as a browser reads them in `frame-ancestors`. `null` is what
pages without an origin say of themselves (sandboxed frames, files, some mobile web views): any page can make itself
one, so allowing it allows everybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from kernel.errors import Invalid

NULL = "null"
LONGEST = 300
_PORTS = {"http": 80, "https": 443}
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(?:\*\.)?{_LABEL}(?:\.{_LABEL})*", re.ASCII)
# A wildcard over a whole top-level domain would be a wildcard over the web.
_TOO_WIDE = re.compile(rf"\*\.{_LABEL}", re.ASCII)


def origin_checked(origin: str) -> str:
    """An allowed origin as it is stored: lower case, without the scheme's own port. Raises `Invalid`."""
    text = origin.strip()
    if text == NULL:
        return NULL
    try:
        return _normal(text)
    except (ValueError, UnicodeError) as error:
        told = "is no origin. Write it like https://shop.example or https://*.shop.example, without a path"
        raise Invalid(reason=f"{text[:80]!r} {told}.") from error


def origin_matches(origin: str, allowed: Iterable[str]) -> bool:
    """Whether a page of this origin is one of the allowed ones."""
    if origin == NULL:
        return NULL in allowed
    try:
        mine = _normal(origin)
    except (ValueError, UnicodeError):
        return False
    return "*" not in mine and any(_covers(one, mine) for one in allowed)


def _covers(allowed: str, origin: str) -> bool:
    scheme, _, rest = allowed.partition("://")
    if not rest.startswith("*."):
        return allowed == origin
    return origin.startswith(f"{scheme}://") and origin.endswith(rest[1:])


def _normal(text: str) -> str:
    parts = urlsplit(text)
    host = _ascii(parts.hostname or "")
    if (
        len(text) > LONGEST
        or parts.scheme not in _PORTS
        or parts.path not in {"", "/"}
        or any((parts.query, parts.fragment, "@" in parts.netloc, "?" in text, "#" in text, "\\" in text))
        or not _HOST.fullmatch(host)
        or _TOO_WIDE.fullmatch(host)
        or len(host) > 253
    ):
        raise ValueError(text)
    port = "" if parts.port in {None, _PORTS[parts.scheme]} else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"


def _ascii(host: str) -> str:
    """A host name as it is sent over the wire; the labels of other scripts in their ASCII form."""
    star, name = ("*.", host[2:]) if host.startswith("*.") else ("", host)
    return star + name.encode("idna").decode("ascii").lower()
