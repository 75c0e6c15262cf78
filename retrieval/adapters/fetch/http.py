"""One request after another until an address has answered, by httpcore: redirects, sizes, encodings."""

from __future__ import annotations

import ssl
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urljoin

import httpcore2

from retrieval.adapters.fetch.connecting import Deadline, FetchPolicy, GuardedBackend, Resolver, resolve
from retrieval.domain.errors import (
    SourceBroken,
    SourceInvalid,
    SourceRedirects,
    SourceTooLarge,
    SourceTooSlow,
    SourceUnreachable,
)
from retrieval.domain.sources import normal_url, port_of

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PIECE = 65_536
_DEEPEST_ENCODING = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers by lower-case name, and the decoded body of the last address asked."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


class HttpReader:
    """Asks public addresses with GET, and nothing else of them."""

    def __init__(self, policy: FetchPolicy, resolver: Resolver = resolve) -> None:
        self.policy = policy
        self._resolver = resolver
        self._usual = {
            "User-Agent": policy.user_agent,
            "Accept": "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.5",
            "Accept-Encoding": "gzip",
            "Connection": "close",
        }

    def get(
        self,
        url: str,
        *,
        deadline: Deadline,
        limit: int,
        headers: Mapping[str, str] | None = None,
        before: Callable[[str], None] | None = None,
    ) -> Answer:
        """Follow redirects; `before` is called with every address before it is asked. Raises a SourceError."""
        for _ in range(self.policy.redirects + 1):
            self.policy.check_port(port_of(url))
            if before is not None:
                before(url)
            answer = self._ask(url, deadline, limit, headers or {})
            target = answer.headers.get("location")
            if answer.status not in _REDIRECTS or not target:
                return answer
            url = _next(url, target)
        raise SourceRedirects(limit=self.policy.redirects)

    def _ask(self, url: str, deadline: Deadline, limit: int, headers: Mapping[str, str]) -> Answer:
        backend = GuardedBackend(self.policy, deadline, self._resolver)
        sent = {**self._usual, **headers}
        try:
            with (
                httpcore2.ConnectionPool(ssl_context=_certificates(), network_backend=backend) as pool,
                pool.stream("GET", url, headers=list(sent.items())) as response,
            ):
                return _read(url, response, deadline, limit)
        except httpcore2.TimeoutException as error:
            raise _too_slow(error, deadline, url) from error
        except (httpcore2.ConnectError, httpcore2.NetworkError, ssl.SSLError) as error:
            raise SourceUnreachable(detail=_told(error)) from error
        except (httpcore2.ProtocolError, httpcore2.UnsupportedProtocol, zlib.error) as error:
            raise SourceBroken(detail=_told(error)) from error


def _next(url: str, target: str) -> str:
    """Where a redirect leads. One that points at no web address is the site's fault."""
    try:
        return normal_url(urljoin(url, target))
    except SourceInvalid as error:
        raise SourceBroken(detail="it redirects to something that is no web address") from error


def _read(url: str, response: httpcore2.Response, deadline: Deadline, limit: int) -> Answer:
    headers = {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in reversed(response.headers)
    }
    if response.status in _REDIRECTS or response.status == 304:
        return Answer(url, response.status, headers, b"")
    announced = headers.get("content-length", "")
    if announced.isdigit() and int(announced) > limit:
        raise SourceTooLarge(limit_mb=_megabytes(limit))
    body = bytearray()
    for piece in _decoded(response, headers.get("content-encoding", "")):
        deadline.left()
        body += piece
        if len(body) > limit:
            raise SourceTooLarge(limit_mb=_megabytes(limit))
    return Answer(url, response.status, headers, bytes(body))


def _decoded(response: httpcore2.Response, encoding: str) -> Iterator[bytes]:
    """The body in small pieces, unpacked no faster than it is counted."""
    names = [name.strip().lower() for name in encoding.split(",") if name.strip() not in ("", "identity")]
    if len(names) > _DEEPEST_ENCODING or any(name not in ("gzip", "x-gzip", "deflate") for name in names):
        raise SourceBroken(detail="it is packed in a way that was not asked for")
    if not names:
        yield from response.iter_stream()
        return
    yield from unpacked(response.iter_stream())


def unpacked(packed: Iterator[bytes]) -> Iterator[bytes]:
    """Gzip or zlib, piece by piece. Raises zlib.error."""
    engine = zlib.decompressobj(wbits=47)
    for data in packed:
        while data and not engine.eof:
            yield engine.decompress(data, _PIECE)
            data = engine.unconsumed_tail
    yield engine.flush(_PIECE)


def _too_slow(error: Exception, deadline: Deadline, url: str) -> SourceUnreachable | SourceTooSlow:
    """A site that takes no connection is away; one that keeps a connection waiting is slow."""
    if isinstance(error, httpcore2.ConnectTimeout):
        return SourceUnreachable(detail="it takes no connection")
    return SourceTooSlow(seconds=round(deadline.seconds))


def _told(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:200].rstrip(".")


def _megabytes(limit: int) -> int:
    return max(1, limit // 1_048_576)


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """The authorities of the platform's own bundle: read once, as it takes some milliseconds."""
    return httpcore2.default_ssl_context()
