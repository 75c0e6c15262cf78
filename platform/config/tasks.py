"""Background work of the platform as a whole: the audits that staff start from their console."""

from __future__ import annotations

from collections.abc import Callable

from celery import shared_task

from admin_ui.staff.ports import PROBE, SELFTEST, VERIFY
from admin_ui.staff.running import Report, followed
from config import isolation, leakage, log_checks
from conversations.audits.runs import audit_run
from kernel.json import JsonObject
from tenants.acting import SYSTEM, acting_as


@shared_task(acks_late=False, reject_on_worker_lost=False)
def audit_start(kind: str, by: str, probes: int) -> None:
    """Run one of the audits and keep what it found. One that dies with its worker is not taken up again by itself."""
    with acting_as(SYSTEM), followed(kind, by=by) as report, audit_run(kind) as record:
        found, failed = _RUNS[kind](report, probes)
        record({**found, "started_by": by}, failed)


def _probe(report: Report, probes: int) -> tuple[JsonObject, int]:
    found = leakage.run(probes, report)
    return found, found["leaks"]


def _selftest(report: Report, probes: int) -> tuple[JsonObject, int]:
    found = isolation.as_json(isolation.run(report))
    return found, found["failed"]


def _verify(report: Report, probes: int) -> tuple[JsonObject, int]:
    found = log_checks.run(report)
    return found, found["broken"]


_RUNS: dict[str, Callable[[Report, int], tuple[JsonObject, int]]] = {
    PROBE: _probe,
    SELFTEST: _selftest,
    VERIFY: _verify,
}
