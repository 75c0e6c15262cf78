"""Deciding whether a tenant may use more, by the quotas that are agreed with it over the platform's defaults.

Exact under concurrency: a counter is compared and counted in one step, a gauge is read under a lock of the tenant
once half of it is taken. While Valkey is out of reach counters are let through and counted in the database.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Subquery, Sum

from kernel.clock import now
from kernel.errors import Invalid
from tenants.adapters import usage_counts
from tenants.adapters.shared_memory import OUTAGES
from tenants.adapters.usage_counts import Added, Written
from tenants.errors import QuotaFull, QuotaReached, QuotaZero, TooManyAtOnce
from tenants.models import ApiKey, Tenant, UsageDay, UsageFlush
from tenants.postgres.statements import Asked, Statement, answer
from tenants.quotas import NEAR, QUOTAS, Counter, Gauge
from tenants.scoping import current_tenant_id
from tenants.services.audit import audit_record
from tenants.services.rates import rate_check, waiting_time
from tenants.services.usage import usage_store_one
from tenants.services.webhooks import webhook_notify

log = logging.getLogger(__name__)

_OWN = Statement.named("tenants", "quotas_own")
_AT_ONCE_SECONDS = 5
_NEAR_SECONDS = 24 * 60 * 60
_gauges: dict[str, Callable[[], int]] = {}


@dataclass(frozen=True, slots=True)
class QuotaState:
    """A quota as consoles show it. `limit` None is no limit; `used` None for a pace, which leaves nothing to show.

    `stops` says what it stops at present, being 0 or used up; empty while there is room.
    """

    name: str
    what: str
    limit: int | None
    used: int | None
    resets_at: datetime | None

    @property
    def stops(self) -> str:
        return quota_stops(self.name, self.limit, self.used)


def quota_stops(name: str, limit: int | None, used: int | None) -> str:
    """What such a limit would stop with so much used, in words; empty where it leaves room."""
    return QUOTAS[name].at_zero if limit is not None and limit <= (used or 0) else ""


def gauge_register(name: str, read: Callable[[], int]) -> None:
    """Say how much of a gauge the current tenant has now; called by the application that keeps those things."""
    _gauges[name] = read


Limits = Mapping[str, int | None]


def quota_limits() -> Limits:
    """What the current tenant may use: its own quotas over the platform's defaults; None is no limit. One query, for
    those who check several: hand it on as `limits`."""
    return answer(quota_limits_asked())


def quota_limits_asked() -> Asked[Limits]:
    """The question for it, to go with others."""

    def read(rows: list[Any]) -> Limits:
        ((own,),) = rows
        return {**settings.QUOTAS, **json.loads(own)}

    return Asked(_OWN, {}, read)


def quota_limit(name: str, limits: Limits | None = None) -> int | None:
    return (quota_limits() if limits is None else limits)[name]


def quotas_set(*, quotas: Mapping[str, int | None]) -> None:
    """Agree on the current tenant's own quotas; None is no limit, what is not named has the default. Raises `Invalid`."""
    for name, limit in quotas.items():
        if name not in QUOTAS:
            raise Invalid(reason=f"There is no quota called {name}.")
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
            raise Invalid(reason=f"The quota {name} is a whole number from 0 on, or nothing for no limit.")
    with transaction.atomic():
        tenant = Tenant.objects.select_for_update().get(pk=current_tenant_id())
        before, tenant.quotas = tenant.quotas, dict(quotas)
        tenant.save(update_fields=["quotas"])
        audit_record("quotas.changed", before=before, after=tenant.quotas)


def quota_check(
    name: str,
    adding: int = 1,
    *,
    counted: bool = False,
    used: int | None = None,
    limits: Limits | None = None,
) -> None:
    """Whether there is room for `adding` more. Raises `QuotaReached`, `QuotaZero`, `QuotaFull` or `TooManyAtOnce`.

    For a gauge call it inside the transaction that adds, before that is written or, with `counted`, after it: where
    it matters, others wait until the transaction has ended. `used` is what the caller has just read of the gauge.
    """
    limit, quota = quota_limit(name, limits), QUOTAS[name]
    if limit is None or adding <= 0:
        return
    if isinstance(quota, Gauge):
        _check_gauge(name, quota, limit, adding, counted=counted, used=used)
    elif isinstance(quota, Counter):
        added = _counted(quota, 0, None)
        if added is not None and added.total + adding > limit:
            raise _reached(name, quota, limit)


def quota_take(name: str, n: int = 1, *, limits: Limits | None = None) -> None:
    """Count `n` more of a counter, or raise `QuotaReached` or `QuotaZero` and count nothing. Give back by
    `usage_add(metric, -n)`."""
    quota, limit = _counter(name), quota_limit(name, limits)
    added = _counted(quota, n, limit)
    if added is None:
        return
    if not added.allowed:
        assert limit is not None
        raise _reached(name, quota, limit)
    _tell_when_near(name, limit, before=added.total - n, after=added.total)


def usage_add(metric: str, n: int = 1, *, limits: Limits | None = None) -> None:
    """Count `n` more of a metric today, whatever the limit; less than 0 takes back what was counted."""
    found = [name for name, quota in QUOTAS.items() if isinstance(quota, Counter) and quota.metric == metric]
    if not found:
        _count_alone(metric, n)
        return
    added = _counted(_counter(found[0]), n, None)
    if added is not None:
        _tell_when_near(found[0], quota_limit(found[0], limits), before=added.total - n, after=added.total)


def end_user_turn_check(*, end_user_id: UUID, limits: Limits | None = None) -> None:
    """Not more messages a minute than one person writes. Raises `TooManyRequests` or `QuotaZero`."""
    limit = _pace("end_user_turns_per_minute", limits)
    if limit is not None:
        rate_check(subject=f"end_user:{end_user_id}:turns", limit=limit, per_seconds=60)


def visit_check(*, address: str) -> None:
    """Not more chats opened a minute from one network address. Raises `TooManyRequests` or `QuotaZero`."""
    limit = _pace("visits_per_minute")
    if limit is not None:
        rate_check(subject=f"address:{address}:visits", limit=limit, per_seconds=60)


def key_request_check(*, key: ApiKey) -> None:
    """Not more requests a minute than the key's own limit, or the tenant's. Raises `TooManyRequests` or `QuotaZero`."""
    limit = key.per_minute or _pace("key_requests_per_minute")
    if limit is not None:
        rate_check(subject=f"key:{key.pk}", limit=limit, per_seconds=60)


def quota_states() -> list[QuotaState]:
    """Every quota of the current tenant with what is used of it."""
    limits = quota_limits()
    return [_state(name, limits[name]) for name in QUOTAS]


def _state(name: str, limit: int | None) -> QuotaState:
    quota = QUOTAS[name]
    used: int | None = None
    if isinstance(quota, Counter):
        added = _counted(quota, 0, None)
        used = added.total if added else _written(quota, now().date()).total
        return QuotaState(name, quota.what, limit, used, quota.ends(now().date()))
    if isinstance(quota, Gauge) and name in _gauges:
        used = _gauges[name]()
    return QuotaState(name, quota.what, limit, used, None)


def _counter(name: str) -> Counter:
    quota = QUOTAS[name]
    assert isinstance(quota, Counter), f"{name} is not counted over time"
    return quota


def _count_alone(metric: str, n: int) -> None:
    try:
        usage_counts.count(current_tenant_id(), metric, now().date(), n)
    except OUTAGES as error:
        _store_instead(metric, n, error)


def _counted(quota: Counter, n: int, limit: int | None) -> Added | None:
    """None when Valkey is out of reach; then `n` is in the database already."""
    day = now().date()
    written: Written | None = None
    try:
        while True:
            added = usage_counts.add(
                current_tenant_id(),
                quota.metric,
                day,
                n,
                period=quota.period(day),
                limit=limit,
                written=written,
            )
            if added.known:
                return added
            # Again when a batch was written between the two: the next look finds it.
            written = _written(quota, day)
    except OUTAGES as error:
        _store_instead(quota.metric, n, error)
        return None


def _store_instead(metric: str, n: int, error: Exception) -> None:
    log.warning("%s counted in the database, Valkey is out of reach: %s", metric, error)
    if n:
        usage_store_one(metric, n)


def _written(quota: Counter, day: date) -> Written:
    """Sum and number in one query, so that they are of one moment."""
    days = UsageDay.objects.filter(metric=quota.metric, day__gte=quota.first_day(day), day__lte=day)
    total = days.order_by().values("metric").annotate(total=Sum("value")).values("total")
    row = UsageFlush.objects.annotate(total=Subquery(total)).values_list("total", "number").first()
    if row is not None:
        return Written(int(row[0] or 0), row[1])
    return Written(days.aggregate(total=Sum("value"))["total"] or 0, 0)


def _pace(name: str, limits: Limits | None = None) -> int | None:
    limit = quota_limit(name, limits)
    if limit == 0:
        raise _zero(name)
    return limit


def _zero(name: str) -> QuotaZero:
    """Waiting does not help, and it is not said to."""
    return QuotaZero(quota=name, what=QUOTAS[name].what, stops=QUOTAS[name].at_zero)


def _reached(name: str, quota: Counter, limit: int) -> QuotaReached | QuotaZero:
    if limit == 0:
        return _zero(name)
    seconds = math.ceil((quota.ends(now().date()) - now()).total_seconds())
    return QuotaReached(what=quota.what, limit=limit, retry_after=seconds, wait=waiting_time(seconds))


def _check_gauge(
    name: str, quota: Gauge, limit: int, adding: int, *, counted: bool, used: int | None
) -> None:
    read, mine = _gauges[name], adding if counted else 0
    before = (read() if used is None else used) - mine
    if before + adding > limit // 2 and connection.in_atomic_block:
        _lock(name)
        before = read() - mine
    is_momentary = name == "concurrent_streams"
    if before + adding > limit:
        if is_momentary and limit == 0:
            raise _zero(name)
        if is_momentary:
            wait = {"retry_after": _AT_ONCE_SECONDS, "wait": waiting_time(_AT_ONCE_SECONDS)}
            raise TooManyAtOnce(limit=limit, **wait)
        raise QuotaFull(what=quota.what, used=before, limit=limit)
    if not is_momentary:
        _tell_when_near(name, limit, before=before, after=before + adding)


def _lock(name: str) -> None:
    """Held until the transaction ends; the tenant's own, and of this gauge only."""
    with connection.cursor() as cursor:
        key = f"quota:{current_tenant_id()}:{name}"
        cursor.execute("select pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])


def _tell_when_near(name: str, limit: int | None, *, before: int, after: int) -> None:
    """Tell once when a share is passed, and not again on the same day where use goes up and down around it."""
    for share in NEAR:
        if limit and before < share * limit <= after and _first_today(f"quota:{name}:{share}"):
            webhook_notify("quota.near", {"quota": name, "limit": limit, "used": after, "share": share})


def _first_today(what: str) -> bool:
    try:
        return usage_counts.claim(current_tenant_id(), f"{what}:{now():%Y-%m-%d}", _NEAR_SECONDS)
    except OUTAGES:
        return True
