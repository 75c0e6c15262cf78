"""A SourceFetcher: pages by their address and sites by their sitemap, as robots.txt allows."""

from __future__ import annotations

from collections import deque
from urllib.parse import urljoin, urlsplit

from kernel.errors import DomainError
from retrieval.adapters.fetch.connecting import Deadline, FetchPolicy, Resolver, resolve
from retrieval.adapters.fetch.hosts import is_local_name, literal_address
from retrieval.adapters.fetch.http import Answer, HttpReader
from retrieval.adapters.fetch.robots import ROBOTS_BYTES, Robots
from retrieval.adapters.fetch.sitemap import Sitemap, read_sitemap
from retrieval.domain.errors import (
    SitemapEmpty,
    SourceClosed,
    SourceInvalid,
    SourceMissing,
    SourceTooLarge,
    SourceUnavailable,
)
from retrieval.domain.ports import Heartbeat
from retrieval.domain.sources import FetchedPage, SiteListing, Validators, normal_url, port_of, same_site

_PATIENCE = frozenset({408, 425, 429})


class HttpSources:
    """Reads public sites under a policy. Thread-safe enough for a worker: what it remembers may be asked twice."""

    def __init__(self, policy: FetchPolicy | None = None, resolver: Resolver = resolve) -> None:
        self.policy = policy or FetchPolicy()
        self._http = HttpReader(self.policy, resolver)
        self._robots = Robots(self.policy.user_agent, self._ask_robots)

    def check(self, url: str) -> None:
        """Raises SourceInvalid, SourcePortRefused or SourceAddressRefused."""
        self.policy.check_port(port_of(url))
        host = urlsplit(url).hostname or ""
        address = literal_address(host)
        if address is not None:
            self.policy.check_address(host, address)
        elif is_local_name(host):
            self.policy.check_address(host, "127.0.0.1")

    def fetch(self, url: str, *, known: Validators | None = None) -> FetchedPage:
        headers = {"If-None-Match": known.etag, "If-Modified-Since": known.modified} if known else {}
        answer = self._get(
            url, self.policy.max_bytes, {name: value for name, value in headers.items() if value}
        )
        if answer.status == 304 and known is not None:
            return FetchedPage(answer.url, validators=known, unchanged=True)
        _refuse_failure(answer)
        validators = Validators(
            answer.headers.get("etag", "")[:300], answer.headers.get("last-modified", "")[:100]
        )
        return FetchedPage(answer.url, answer.body, answer.content_type, validators)

    def pages(self, url: str, *, limit: int, heartbeat: Heartbeat) -> SiteListing:
        """Breadth first through nested sitemaps, each page once, pages of other sites left out."""
        waiting = deque(self._entrances(url))
        seen = set(waiting)
        found: dict[str, None] = {}
        asked = 0
        while waiting and asked < self.policy.sitemap_files and len(found) < limit:
            heartbeat()
            sitemap = self._sitemap(waiting.popleft(), required=asked == 0)
            asked += 1
            for page in _of_site(sitemap.pages, url):
                found[page] = None
            fresh = [one for one in _of_site(sitemap.sitemaps, url) if one not in seen]
            seen.update(fresh)
            waiting.extend(fresh)
        if not found:
            raise SitemapEmpty
        return SiteListing(tuple(found)[:limit], len(found))

    def _entrances(self, url: str) -> list[str]:
        """The sitemap itself; for a site's start page, those that robots.txt names, or the usual place."""
        if urlsplit(url).path != "/" or urlsplit(url).query:
            return [url]
        return _of_site(tuple(self._robots.sitemaps(url, Deadline(self.policy.seconds))), url) or [
            urljoin(url, "/sitemap.xml")
        ]

    def _sitemap(self, url: str, *, required: bool) -> Sitemap:
        """One that fails among several is left out: the others' pages are worth having."""
        try:
            answer = self._get(url, self.policy.sitemap_bytes, {})
            _refuse_failure(answer)
            return read_sitemap(answer.body, limit=self.policy.sitemap_bytes)
        except DomainError:
            if required:
                raise
            return Sitemap()

    def _get(self, url: str, limit: int, headers: dict[str, str]) -> Answer:
        deadline = Deadline(self.policy.seconds)

        def allowed(url: str) -> None:
            self._robots.check(url, deadline)

        return self._http.get(url, deadline=deadline, limit=limit, headers=headers, before=allowed)

    def _ask_robots(self, url: str, deadline: Deadline) -> tuple[int, bytes]:
        """Asked within the time of the page itself."""
        try:
            answer = self._http.get(url, deadline=deadline, limit=ROBOTS_BYTES)
        except SourceTooLarge:
            return 0, b""
        return answer.status, answer.body


def _of_site(urls: tuple[str, ...], site: str) -> list[str]:
    found: dict[str, None] = {}
    for text in urls:
        try:
            url = normal_url(urljoin(site, text))
        except SourceInvalid:
            continue
        if same_site(url, site):
            found[url] = None
    return list(found)


def _refuse_failure(answer: Answer) -> None:
    if 200 <= answer.status < 300:
        return
    if answer.status in (404, 410):
        raise SourceMissing(status=answer.status)
    if answer.status >= 500 or answer.status in _PATIENCE:
        raise SourceUnavailable(status=answer.status)
    raise SourceClosed(status=answer.status)
