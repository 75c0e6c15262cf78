"""What a site asks of robots, by Protego (RFC 9309), remembered for a while."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from protego import Protego

from retrieval.adapters.fetch.connecting import Deadline
from retrieval.domain.errors import SourceDisallowed
from retrieval.domain.sources import origin_of

KEPT_SECONDS = 1800.0
ROBOTS_BYTES = 512_000
_KEPT = 256
_STARS = 8
_RULES = 5000

Ask = Callable[[str, Deadline], tuple[int, bytes]]
"""The status and the body of an address; the status is 0 where the answer is of no use."""


@dataclass(frozen=True, slots=True)
class _Rules:
    parsed: Protego
    closed: bool
    until: float


class Robots:
    """Answers for one user agent whether a page may be read."""

    def __init__(self, user_agent: str, ask: Ask) -> None:
        self._agent = user_agent
        self._ask = ask
        self._kept: OrderedDict[str, _Rules] = OrderedDict()

    def check(self, url: str, deadline: Deadline) -> None:
        """Raises SourceDisallowed, or whatever asking the site raises."""
        rules = self._rules(origin_of(url), deadline)
        if rules.closed or not rules.parsed.can_fetch(url, self._agent):
            raise SourceDisallowed(url=url)

    def sitemaps(self, url: str, deadline: Deadline) -> list[str]:
        return list(self._rules(origin_of(url), deadline).parsed.sitemaps)

    def _rules(self, origin: str, deadline: Deadline) -> _Rules:
        kept = self._kept.get(origin)
        if kept is None or kept.until < time.monotonic():
            kept = self._kept[origin] = self._asked(origin, deadline)
            self._kept.move_to_end(origin)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return kept

    def _asked(self, origin: str, deadline: Deadline) -> _Rules:
        """No such file leaves everything open; a site that fails to say closes everything, for a short time."""
        status, body = self._ask(f"{origin}/robots.txt", deadline)
        closed = status >= 500 or status in (0, 429)
        text = body[:ROBOTS_BYTES].decode("utf-8", "replace") if status == 200 else ""
        kept = KEPT_SECONDS / 60 if closed else KEPT_SECONDS
        return _Rules(Protego.parse(_harmless(text)), closed, time.monotonic() + kept)


def _harmless(text: str) -> str:
    """Without rules of many wildcards: no site needs them, and matching them could take for ever."""
    lines = (line for line in text.splitlines() if line.count("*") <= _STARS and len(line) < 2000)
    return "\n".join(line for _, line in zip(range(_RULES), lines, strict=False))
