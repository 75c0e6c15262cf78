"""Counting what a tenant uses: in Valkey at once, in the database by the sweep (`usage_flush`).

Lost with Valkey is at most what was counted since the last flush. While Valkey is out of reach everything is counted
in the database directly. Days are UTC.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import date

from django.db import transaction
from django.db.models import F

from kernel.clock import now
from tenants.adapters import usage_counts
from tenants.adapters.shared_memory import OUTAGES
from tenants.models import UsageDay, UsageFlush
from tenants.scoping import current_tenant_id

log = logging.getLogger(__name__)

Counts = Mapping[tuple[str, date], int]


def usage_store(counts: Counts) -> None:
    """Add counts to the rows of their days."""
    rows = [UsageDay(metric=metric, day=day) for metric, day in counts]
    UsageDay.objects.bulk_create(rows, ignore_conflicts=True)
    for metric, day in sorted(counts):
        UsageDay.objects.filter(metric=metric, day=day).update(value=F("value") + counts[metric, day])


def usage_store_one(metric: str, n: int) -> None:
    with transaction.atomic():
        usage_store({(metric, now().date()): n})


def usage_flush() -> int:
    """Write down what the current tenant's counters hold; returns how many counters. Safe when run twice or killed."""
    tenant_id = current_tenant_id()
    try:
        batch = usage_counts.gather(tenant_id, after=_last_number())
        if batch is None:
            return 0
        written = _write(batch)
        usage_counts.written(tenant_id, batch.number)
    except OUTAGES as error:
        log.warning("usage was not written down, Valkey is out of reach: %s", error)
        return 0
    return len(batch.counts) if written else 0


def _last_number() -> int:
    return UsageFlush.objects.values_list("number", flat=True).first() or 0


@transaction.atomic
def _write(batch: usage_counts.Batch) -> bool:
    """False for a batch that is written already."""
    UsageFlush.objects.bulk_create([UsageFlush()], ignore_conflicts=True)
    last = UsageFlush.objects.select_for_update().get()
    if batch.number <= last.number:
        return False
    usage_store(batch.counts)
    UsageFlush.objects.filter(pk=last.pk).update(number=batch.number)
    return True
