"""Many write one log at once: no gap, no fork, no deadlock."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from django.db import connections, transaction

from tenants.models import AuditEntry, Tenant
from tenants.scoping import tenant_scope
from tenants.selectors.audit import audit_verify
from tenants.services import retention_set
from tenants.services.audit import audit_record

pytestmark = pytest.mark.django_db(transaction=True)

THREADS, EACH = 20, 10


def together(*works: Callable[[], None]) -> None:
    """All at the same moment, each with a connection of its own; raises what any of them raised."""
    start = Barrier(len(works))

    def run(work: Callable[[], None]) -> None:
        try:
            start.wait(30)
            work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as pool:
        for done in [pool.submit(run, work) for work in works]:
            done.result(120)


def test_it_neither_gaps_nor_forks_when_twenty_record_at_once(tenant, rival):
    def record(number: int) -> Callable[[], None]:
        def work() -> None:
            with tenant_scope(tenant.id):
                for turn in range(EACH):
                    if turn % 3:
                        audit_record("car.rented", target=f"car {number}", turn=turn)
                        continue
                    with transaction.atomic():
                        audit_record("car.rented", target=f"car {number}", turn=turn)
                        audit_record("car.insured", target=f"car {number}")

        return work

    together(*(record(number) for number in range(THREADS)))
    expected = 1 + THREADS * (EACH + len(range(0, EACH, 3)))
    with tenant_scope(tenant.id):
        assert list(AuditEntry.objects.order_by("seq").values_list("seq", flat=True)) == [
            *range(1, expected + 1)
        ]
        verdict = audit_verify()
    assert (verdict.entries, verdict.broken) == (expected, ())
    with tenant_scope(rival.id):
        assert audit_verify().entries == 1


def test_it_can_be_verified_while_it_is_written(tenant):
    done = Event()

    def write() -> None:
        with tenant_scope(tenant.id):
            for number in range(60):
                audit_record("car.rented", target=f"car {number}")
        done.set()

    def read() -> None:
        with tenant_scope(tenant.id):
            while True:
                last = done.is_set()
                assert audit_verify().broken == ()
                if last:
                    return

    together(write, read)


def test_it_takes_the_tenants_row_before_the_log(tenant):
    """Whoever holds the tenant's row and wants the log never meets somebody with the log who wants the row."""

    def holding_the_row() -> None:
        with tenant_scope(tenant.id):
            for number in range(20):
                with transaction.atomic():
                    Tenant.objects.select_for_update().get(pk=tenant.id)
                    audit_record("car.rented", target=f"car {number}")

    def changing_retention() -> None:
        for days in range(1, 21):
            retention_set(tenant_id=tenant.id, mode="days", days=days)

    def recording() -> None:
        with tenant_scope(tenant.id):
            for number in range(20):
                audit_record("car.returned", target=f"car {number}")

    together(holding_the_row, changing_retention, recording)
    with tenant_scope(tenant.id):
        assert audit_verify().entries == 61
