"""Runs of the probes, of the isolation self-test and of the verification of logs, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from admin_ui.staff.ports import PROBE, SELFTEST, VERIFY
from admin_ui.staff.running import Running, broke_off, running
from conversations.audits.records import AuditRun
from kernel.clock import now

SHOWN = 10
OLD = timedelta(days=2)
NAMES = {
    PROBE: "Leakage probes",
    SELFTEST: "Isolation self-test",
    VERIFY: "Verification of audit logs",
}


WAYS = {
    "question": "asked straight out",
    "false_memory": "by a false memory of the conversation",
    "injection": "by instructions in the question",
    "stored_conversation": "by instructions in a stored conversation",
    "search": "by the very words, in a search",
    "passage_id": "by the id of a passage",
    "session_id": "by the id of a conversation",
    "cache_and_events": "by guessed keys of cached copies and events",
}
"""How a probe goes about it, as `conversations.audits.probing` names it."""


@dataclass(frozen=True, slots=True)
class Way:
    """Probes of one kind."""

    name: str
    probes: int
    leaks: int


@dataclass(frozen=True, slots=True)
class Run:
    """A run with the figures of its line: `done` of what, `failed` of them."""

    run: AuditRun
    done: int
    what: str

    @property
    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = self.run.report
        return report

    @property
    def passed(self) -> bool:
        return not self.run.failed

    @property
    def seconds(self) -> float:
        return (self.run.finished_at - self.run.started_at).total_seconds()

    @property
    def is_old(self) -> bool:
        return now() - self.run.finished_at > OLD

    @property
    def by_kind(self) -> tuple[Way, ...]:
        kinds: dict[str, dict[str, int]] = self.report.get("by_kind", {})
        return tuple(
            Way(WAYS.get(kind, kind), counts["probes"], counts["leaks"]) for kind, counts in kinds.items()
        )

    @property
    def by(self) -> str:
        return str(self.report.get("started_by", "")) or "the command line"


@dataclass(frozen=True, slots=True)
class Runs:
    """Everything that a page says about one kind of run."""

    kind: str
    name: str
    last: Run | None
    earlier: tuple[Run, ...]
    running: Running | None
    broke_off: str


def runs_of(kind: str) -> Runs:
    rows = [_run(row) for row in AuditRun.objects.filter(kind=kind)[:SHOWN]]
    return Runs(kind, NAMES[kind], rows[0] if rows else None, tuple(rows[1:]), running(kind), broke_off(kind))


def _run(row: AuditRun) -> Run:
    report: dict[str, Any] = row.report
    if row.kind == PROBE:
        return Run(row, report.get("probes", 0), "probes")
    if row.kind == SELFTEST:
        return Run(row, len(report.get("checks", ())), "checks")
    return Run(row, report.get("tenants", 0), "logs")
