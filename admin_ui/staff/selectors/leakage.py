"""Findings of all tenants, and how many checks stand behind them. Three queries for each tenant, inside its scope."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count

from admin_ui.components.marks import Mark
from conversations.audits.records import Finding, FindingSeverity, FindingState, LeakageCheckDay
from kernel.clock import now
from kernel.errors import NotFound
from tenants.models import Tenant, User
from tenants.scoping import tenant_scope
from tenants.selectors import tenants_known

DAYS = 30
MOST_OF_A_TENANT = 50
SEVERITIES: dict[str, Mark] = {
    FindingSeverity.CRITICAL: Mark("critical", "contaminated", "✕", "Words of another tenant."),
    FindingSeverity.HIGH: Mark(
        "high", "invented", "!", "Words of another conversation or a closed document."
    ),
    FindingSeverity.LOW: Mark("low", "plain", "·", "The person typed it: it was not the platform that told."),
}
STATES: dict[str, Mark] = {
    FindingState.OPEN: Mark("open", "stale", "○", "Nobody has said yet what it is."),
    FindingState.CONFIRMED: Mark("confirmed", "contaminated", "✕", "It is a leak and is not mended yet."),
    FindingState.DISMISSED: Mark("dismissed", "plain", "–", "A false alarm."),
    FindingState.RESOLVED: Mark("resolved", "clean", "✓", "It was a leak and is mended."),
}
CHECKS = {
    "texts": "texts searched for planted words",
    "passages": "passages whose origin was looked up",
    "permissions": "documents whose permission at that time was worked out",
    "written": "texts looked at as they were written",
}


@dataclass(frozen=True, slots=True)
class Found:
    """A finding with its tenant, for a list."""

    tenant: Tenant
    finding: Finding
    severity: Mark
    state: Mark


@dataclass(frozen=True, slots=True)
class Day:
    """Checks of a day over all tenants, with the height of its bar in percent."""

    day: date
    checks: int
    height: float


@dataclass(frozen=True, slots=True)
class Leakage:
    """`counts` are findings by state, `kinds` checks by kind over `DAYS` days, `unchecked` tenants without any."""

    found: tuple[Found, ...]
    cut: bool
    counts: dict[str, int]
    days: tuple[Day, ...]
    kinds: tuple[tuple[str, int], ...]
    tenants: int
    unchecked: tuple[Tenant, ...]

    @property
    def checks(self) -> int:
        return sum(n for _, n in self.kinds)

    @property
    def days_checked(self) -> int:
        return sum(1 for day in self.days if day.checks)

    @property
    def most(self) -> int:
        return max((day.checks for day in self.days), default=0)


def leakage_of_all(*, state: str = FindingState.OPEN) -> Leakage:
    """Walks every tenant: nothing can be read across them, staff or not."""
    first = now().date() - timedelta(days=DAYS - 1)
    counts: Counter[str] = Counter()
    by_day: Counter[date] = Counter()
    by_kind: Counter[str] = Counter()
    found: list[Found] = []
    unchecked, cut = [], False
    tenants = list(tenants_known().order_by("name"))
    for tenant in tenants:
        with tenant_scope(tenant.pk):
            counts.update(dict(Finding.objects.order_by().values_list("state").annotate(n=Count("pk"))))
            rows = _of_a_tenant(state)
            checks = list(LeakageCheckDay.objects.filter(day__gte=first).values_list("day", "kind", "checks"))
        cut = cut or len(rows) > MOST_OF_A_TENANT
        found += [_found(tenant, row) for row in rows[:MOST_OF_A_TENANT]]
        for day, kind, n in checks:
            by_day[day] += n
            by_kind[kind] += n
        if not checks and tenant.suspended_at is None:
            unchecked.append(tenant)
    return Leakage(
        found=tuple(sorted(found, key=_gravest_first)),
        cut=cut,
        counts={name: counts.get(name, 0) for name in STATES},
        days=_days(first, by_day),
        kinds=tuple((CHECKS.get(kind, kind), n) for kind, n in sorted(by_kind.items())),
        tenants=len(tenants),
        unchecked=tuple(unchecked),
    )


def access_finding(tenant: Tenant, finding_id: UUID) -> Found:
    """Raises `NotFound`."""
    with tenant_scope(tenant.pk):
        finding = Finding.objects.select_related("owner").filter(pk=finding_id).first()
    if finding is None:
        raise NotFound(what="finding")
    return _found(tenant, finding)


def evidence_shown(finding: Finding) -> list[tuple[str, str]]:
    """What was found, for staff: which planted word and where; the tenant's own words are dots."""
    evidence: dict[str, Any] = finding.evidence
    shown = [("Planted word", str(evidence.get("canary", "")))]
    if "excerpt" in evidence:
        shown.append(("Around it", _dotted(str(evidence["excerpt"]), str(evidence.get("canary", "")))))
    if "typed_by_the_person" in evidence:
        shown.append(("Typed by the person", "yes" if evidence["typed_by_the_person"] else "no"))
    shown.append(("Passages", _ids(evidence.get("passages", ()))))
    shown.append(("Documents", _ids(evidence.get("documents", ()))))
    return [(name, text) for name, text in shown if text]


def staff_people() -> list[User]:
    return list(User.objects.filter(is_staff=True, is_active=True).order_by("email"))


def _of_a_tenant(state: str) -> list[Finding]:
    """One more than are shown, so that it is known whether there are more."""
    rows = Finding.objects.filter(state=state).select_related("owner").defer("evidence")
    return list(rows.order_by("-created_at")[: MOST_OF_A_TENANT + 1])


def _found(tenant: Tenant, finding: Finding) -> Found:
    return Found(tenant, finding, SEVERITIES[finding.severity], STATES[finding.state])


def _gravest_first(row: Found) -> tuple[int, float]:
    return list(SEVERITIES).index(row.finding.severity), -row.finding.created_at.timestamp()


def _days(first: date, counts: Counter[date]) -> tuple[Day, ...]:
    days = [first + timedelta(days=n) for n in range(DAYS)]
    most = max((counts[day] for day in days), default=0)
    return tuple(Day(day, counts[day], round(100 * counts[day] / most, 1) if most else 0.0) for day in days)


def _dotted(excerpt: str, canary: str) -> str:
    """The masked word stands, every other letter and digit is a dot."""
    before, found, after = excerpt.partition(canary) if canary else (excerpt, "", "")
    return f"{_dots(before)}{found}{_dots(after)}"


def _dots(text: str) -> str:
    return re.sub(r"[^\W_]", "•", text)


def _ids(values: Iterable[Any]) -> str:
    known: Sequence[str] = [str(value)[:36] for value in values]
    return ", ".join(known[:5]) + (f" and {len(known) - 5} more" if len(known) > 5 else "")
