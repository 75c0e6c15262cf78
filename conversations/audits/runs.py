"""Keeps what a run of the probes or of the self-test printed, so that staff see it and how old it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from conversations.audits.records import AuditRun
from kernel.clock import now
from kernel.json import JsonObject

KEPT = 200


@contextmanager
def audit_run(kind: str) -> Iterator[Callable[[JsonObject, int], None]]:
    """Hands out the function that stores a run's report, with how many checks failed."""
    started = now()

    def record(report: JsonObject, failed: int) -> None:
        AuditRun.objects.create(
            kind=kind, report=report, failed=failed, started_at=started, finished_at=now()
        )
        keep = AuditRun.objects.filter(kind=kind).values("pk")[:KEPT]
        AuditRun.objects.filter(kind=kind).exclude(pk__in=keep).delete()

    yield record
