"""Counters of attempts in Valkey: counted before the attempt is made, so that a hundred at once are not a hundred."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

import valkey
from django.conf import settings

# Counts all or none of the keys. Returns milliseconds to wait for the first free attempt, 0 when it was counted.
_COUNT = """
local wait = 0
for i, key in ipairs(KEYS) do
  if tonumber(redis.call('get', key) or '0') >= tonumber(ARGV[2 * i - 1]) then
    wait = math.max(wait, redis.call('pttl', key))
  end
end
if wait > 0 then return wait end
for i, key in ipairs(KEYS) do
  if redis.call('incr', key) == 1 then redis.call('pexpire', key, ARGV[2 * i]) end
end
return 0
"""
# Gives one attempt back where any is counted.
_RETURN = (
    "if tonumber(redis.call('get', KEYS[1]) or '0') > 0 then return redis.call('decr', KEYS[1]) end return 0"
)


@dataclass(frozen=True, slots=True)
class Counter:
    """At most `most` attempts in `seconds`, counted for one subject."""

    name: str
    subject: str
    most: int
    seconds: int

    @property
    def key(self) -> str:
        """Without the subject in it: addresses of people are nobody's business in a key."""
        return f"antecedent:attempts:{self.name}:{sha256(self.subject.encode()).hexdigest()[:32]}"


def attempt_count(counters: Sequence[Counter]) -> float:
    """Count one attempt on all counters, or on none where one is full: then the seconds to wait."""
    limits = [str(number) for counter in counters for number in (counter.most, counter.seconds * 1000)]
    waiting: Any = _client().eval(_COUNT, len(counters), *(c.key for c in counters), *limits)
    return int(waiting) / 1000


def attempts_forget(counter: Counter) -> None:
    _client().delete(counter.key)


def attempt_return(counter: Counter) -> None:
    """The attempt on this counter was none after all."""
    _client().eval(_RETURN, 1, counter.key)


def _client() -> valkey.Valkey:
    return _client_of(settings.VALKEY_URL)


@lru_cache(maxsize=2)
def _client_of(url: str) -> valkey.Valkey:
    return valkey.Valkey.from_url(url, socket_timeout=2, socket_connect_timeout=2)
