"""How often something may be done in a short time, exact however many processes are asked at once."""

from __future__ import annotations

import logging
import math

from tenants.adapters import throttle
from tenants.adapters.shared_memory import OUTAGES, key_of
from tenants.errors import TooManyRequests
from tenants.scoping import current_tenant_id

log = logging.getLogger(__name__)


def rate_check(*, subject: str, limit: int, per_seconds: int, cost: int = 1) -> None:
    """Let `limit` calls of the current tenant's `subject` through in `per_seconds`, at once or spread out.

    A cost above the limit takes all of it. Raises `TooManyRequests` with the seconds to wait; a refused call costs
    nothing. Generic cell rate algorithm (`tenants.adapters.throttle`, source there). When Valkey is out of reach the
    call is let through and logged: a limit guards the platform's comfort, and its failing must not take the answers
    away from everybody.
    """
    if limit <= 0:
        raise TooManyRequests(limit=limit, retry_after=per_seconds, wait=waiting_time(per_seconds))
    key = key_of(current_tenant_id(), "rate", str(per_seconds), subject)
    try:
        wait = throttle.wait_microseconds(key, limit=limit, per_seconds=per_seconds, cost=cost)
    except OUTAGES as error:
        log.warning("the rate of %s was not checked, Valkey is out of reach: %s", subject, error)
        return
    if wait > 0:
        seconds = math.ceil(wait / 1_000_000)
        raise TooManyRequests(limit=limit, retry_after=seconds, wait=waiting_time(seconds))


def waiting_time(seconds: int) -> str:
    """Seconds as people say them: "1 second", "4 minutes", "3 hours"."""
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return f"{math.ceil(seconds / size)} {name}s"
    return "1 second" if seconds == 1 else f"{seconds} seconds"
