"""What is used, counted in Valkey until it is written down.

`pending` holds what was counted since the last flush, by metric and day. A flush moves all of it aside as one numbered
`batch`, writes that to the database together with its number, and drops it: a batch is written once, however often a
flush is repeated or broken off. `total` is a period's sum so far, for the decision whether more is allowed; it begins
with what the database holds plus what has not reached it, and lives for a few minutes only, so that it heals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from tenants.adapters import shared_memory
from tenants.adapters.shared_memory import key_of

TOTAL_SECONDS = 600

_ADD = """
local total, period, limit, n = redis.call('get', KEYS[1]), ARGV[6], tonumber(ARGV[3]), tonumber(ARGV[2])
if not total then
  if ARGV[4] == '' or tonumber(redis.call('get', KEYS[4]) or 0) > tonumber(ARGV[5]) then return {-1, 0} end
  total = tonumber(ARGV[4])
  local function more(key)
    local held = redis.call('hgetall', key)
    for i = 1, #held, 2 do
      if string.sub(held[i], 1, #period) == period then total = total + tonumber(held[i + 1]) end
    end
  end
  more(KEYS[2])
  if tonumber(redis.call('hget', KEYS[3], 'number') or 0) > tonumber(ARGV[5]) then more(KEYS[3]) end
  redis.call('set', KEYS[1], string.format('%.0f', total), 'ex', ARGV[7])
end
total = tonumber(total)
if limit >= 0 and n > 0 and total + n > limit then return {0, total} end
if n ~= 0 then
  redis.call('hincrby', KEYS[2], ARGV[1], n)
  redis.call('incrby', KEYS[1], n)
end
return {1, total + n}
"""

_GATHER = """
if redis.call('exists', KEYS[2]) == 0 then
  if redis.call('exists', KEYS[1]) == 0 then return {} end
  redis.call('rename', KEYS[1], KEYS[2])
  local clock = redis.call('time')
  local before = math.max(tonumber(redis.call('get', KEYS[3]) or 0), tonumber(ARGV[1]))
  local number = math.max(clock[1] * 1000000 + clock[2], before + 1)
  redis.call('hset', KEYS[2], 'number', string.format('%.0f', number))
end
return redis.call('hgetall', KEYS[2])
"""

_WRITTEN = """
if redis.call('hget', KEYS[1], 'number') ~= ARGV[1] then return 0 end
redis.call('del', KEYS[1])
redis.call('set', KEYS[2], ARGV[1])
return 1
"""


@dataclass(frozen=True, slots=True)
class Added:
    """Whether it was allowed and counted, and the period's total after it. `known` is False where Valkey holds no
    total: ask again with one from the database."""

    known: bool
    allowed: bool
    total: int


@dataclass(frozen=True, slots=True)
class Written:
    """What the database holds of a period, and the number of the last batch that is in it."""

    total: int
    number: int


@dataclass(frozen=True, slots=True)
class Batch:
    number: int
    counts: Mapping[tuple[str, date], int]


def _keys(tenant_id: UUID) -> tuple[str, str, str]:
    pending, batch, flushed = (key_of(tenant_id, "usage", name) for name in ("pending", "batch", "flushed"))
    return pending, batch, flushed


def _field(metric: str, day: date) -> str:
    return f"{metric}|{day.isoformat()}"


def count(tenant_id: UUID, metric: str, day: date, n: int) -> None:
    """Count without asking for any limit. Raises `OUTAGES`."""
    shared_memory.client().hincrby(_keys(tenant_id)[0], _field(metric, day), n)


def add(
    tenant_id: UUID,
    metric: str,
    day: date,
    n: int,
    *,
    period: str,
    limit: int | None,
    written: Written | None,
) -> Added:
    """Count `n` unless that passes the limit, all in one step. `period` is a day or the beginning of one (a month).

    `written` is needed only after an answer that is not `known`. Raises `OUTAGES`.
    """
    total = key_of(tenant_id, "usage", "total", metric, period)
    seed = (written.total, written.number) if written else ("", 0)
    arguments = (_field(metric, day), n, -1 if limit is None else limit, *seed)
    more = (f"{metric}|{period}", TOTAL_SECONDS)
    verdict, value = shared_memory.run(_ADD, (total, *_keys(tenant_id)), *arguments, *more)
    return Added(verdict >= 0, verdict == 1, int(value))


def gather(tenant_id: UUID, *, after: int) -> Batch | None:
    """What is to be written next, under a number above `after`; the same again until it is `written`. Raises `OUTAGES`."""
    pending, batch, flushed = _keys(tenant_id)
    held = iter(shared_memory.run(_GATHER, (pending, batch, flushed), after))
    fields = dict(zip(held, held, strict=True))
    if not fields:
        return None
    number = int(fields.pop("number"))
    counts = {}
    for field, n in fields.items():
        metric, _, day = field.partition("|")
        counts[metric, date.fromisoformat(day)] = int(n)
    return Batch(number, counts)


def written(tenant_id: UUID, number: int) -> None:
    """Drop the batch, if it is still this one. Raises `OUTAGES`."""
    _, batch, flushed = _keys(tenant_id)
    shared_memory.run(_WRITTEN, (batch, flushed), number)


def claim(tenant_id: UUID, what: str, seconds: int) -> bool:
    """True for the first who asks within the time. Raises `OUTAGES`."""
    return bool(shared_memory.client().set(key_of(tenant_id, "claim", what), "1", nx=True, ex=seconds))
