"""The generic cell rate algorithm, inside Valkey.

Source: ITU-T Recommendation I.371, annex A (virtual scheduling). One number is kept for each subject, the theoretical
arrival time: the moment when all that was let through would have been let through one by one. A call passes when it
lies no further ahead than the whole allowance. Times are whole microseconds of Valkey's own clock, so that neither
rounding nor differing clocks let one more through.
"""

from __future__ import annotations

from tenants.adapters import shared_memory

_GCRA = """
local limit, interval, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local clock = redis.call('time')
local now = clock[1] * 1000000 + clock[2]
local arrival = tonumber(redis.call('get', KEYS[1]) or now)
if arrival < now then arrival = now end
local after = arrival + cost * interval
local wait = after - limit * interval - now
if wait > 0 then return wait end
redis.call('set', KEYS[1], string.format('%.0f', after), 'px', math.ceil((after - now) / 1000) + 1)
return 0
"""


def wait_microseconds(key: str, *, limit: int, per_seconds: int, cost: int) -> int:
    """0 when the call passes, and is counted then; else the microseconds until it would. Raises `OUTAGES`."""
    interval = max(1, per_seconds * 1_000_000 // limit)
    return int(shared_memory.run(_GCRA, (key,), limit, interval, min(cost, limit)))
