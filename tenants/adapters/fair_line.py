"""The line in which tenants stand for background work, in Valkey: who has had the least is served next.

Start-time fair queueing: each tenant has a virtual time, the seconds of work that it was given; the lowest is next. Who
comes anew begins at the time of the last one served, so that resting earns no advance and nobody waits behind the
backlog of others. Source: P. Goyal, H. Vin, H. Cheng, "Start-time Fair Queueing", SIGCOMM 1996.

The line says who is next and nothing about the work, which is in the database: a line that is lost, or a tenant that
dropped out of it, is back with the next sweep.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from tenants.adapters import shared_memory

QUANTUM = 1.0
"""Seconds charged when a tenant is called, until it is known how long it took."""
MESSAGES = 2
"""Messages that wait in the broker at most: one for each worker that comes free would be too many by far."""
MESSAGE_SECONDS = 10
"""After this long a message counts as lost, and another one may be sent: one that was only late does no harm. Shorter
than the time between two sweeps, so that no sweep comes too early to replace what was lost before the last one."""

_JOIN = """
redis.call('hincrby', KEYS[2], ARGV[1], 1)
redis.call('zadd', KEYS[1], 'nx', redis.call('get', KEYS[3]) or 0, ARGV[1])
"""
_CALL = """
local first = redis.call('zrange', KEYS[1], 0, 0, 'withscores')
if #first == 0 then return {} end
redis.call('set', KEYS[3], first[2])
redis.call('zincrby', KEYS[1], ARGV[1], first[1])
return {first[1], redis.call('hget', KEYS[2], first[1]) or '0'}
"""
_LEAVE = """
if (redis.call('hget', KEYS[2], ARGV[1]) or '0') ~= ARGV[2] then return 0 end
return redis.call('zrem', KEYS[1], ARGV[1])
"""
_CHARGE = """
if redis.call('zscore', KEYS[1], ARGV[1]) then redis.call('zincrby', KEYS[1], ARGV[2], ARGV[1]) end
"""
_MESSAGE = """
local clock = tonumber(redis.call('time')[1])
redis.call('zremrangebyscore', KEYS[4], '-inf', clock)
if redis.call('zcard', KEYS[1]) == 0 or redis.call('zcard', KEYS[4]) >= tonumber(ARGV[2]) then return 0 end
return redis.call('zadd', KEYS[4], clock + ARGV[3], ARGV[1])
"""

_WAKING = """
local left = redis.call('pttl', KEYS[1])
if left >= 0 and left <= tonumber(ARGV[1]) then return 0 end
redis.call('set', KEYS[1], '1', 'px', ARGV[1])
return 1
"""


@dataclass(frozen=True, slots=True)
class Called:
    """The tenant that is served now; `version` tells whether it joined again meanwhile."""

    tenant_id: UUID
    version: str


class FairLine:
    """One line for one kind of work. Every method may raise `shared_memory.OUTAGES`."""

    def __init__(self, name: str) -> None:
        base = f"antecedent:{{line:{name}}}"
        self._keys = tuple(f"{base}:{part}" for part in ("times", "versions", "clock", "messages"))

    def join(self, tenant_id: UUID) -> None:
        """There is work for the tenant. Who stands in line keeps the place."""
        self._run(_JOIN, str(tenant_id))

    def call(self) -> Called | None:
        """Who is next. The tenant stays in line, so that several workers may serve it when nobody else is there."""
        found = self._run(_CALL, QUANTUM)
        return Called(UUID(found[0]), found[1]) if found else None

    def charge(self, called: Called, seconds: float) -> None:
        """How long it took."""
        self._run(_CHARGE, str(called.tenant_id), seconds - QUANTUM)

    def leave(self, called: Called) -> None:
        """There was no more work for the tenant. It stays if it has joined again since it was called."""
        self._run(_LEAVE, str(called.tenant_id), called.version)

    def first_to_wait(self, called: Called, seconds: float) -> bool:
        """Whether nobody else has promised to wake the tenant within this time."""
        key = f"{self._keys[0]}:waking:{called.tenant_id}"
        return bool(shared_memory.run(_WAKING, (key,), max(1, int(seconds * 1000))))

    def message(self) -> str | None:
        """The name of a message to send to the workers; None when enough are on their way or nobody is in line."""
        name = uuid4().hex
        return name if self._run(_MESSAGE, name, MESSAGES, MESSAGE_SECONDS) else None

    def arrived(self, name: str) -> None:
        """A worker has the message, or it could not be sent."""
        shared_memory.client().zrem(self._keys[3], name)

    def _run(self, script: str, *arguments: object) -> list[str]:
        found: list[str] = shared_memory.run(script, self._keys, *arguments)
        return found


def forget_tenant(tenant_id: UUID) -> None:
    """Take a tenant that is no more out of every line. Raises one of `OUTAGES`."""
    client = shared_memory.client()
    for key in client.scan_iter(match="antecedent:{line:*", count=1000):
        if key.endswith(":times"):
            client.zrem(key, str(tenant_id))
        elif key.endswith(":versions"):
            client.hdel(key, str(tenant_id))
