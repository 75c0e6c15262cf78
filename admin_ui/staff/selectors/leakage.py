"""Findings of all tenants, and how many checks stand behind them: one query, inside the scope of each tenant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from admin_ui.components.marks import Mark
from conversations.audits.records import Finding, FindingSeverity, FindingState
from kernel.clock import now
from kernel.errors import NotFound
from kernel.json import JsonObject
from tenants.models import Tenant, User
from tenants.postgres.statements import named
from tenants.scoping import tenant_scope
from tenants.selectors import tenants_known
from tenants.selectors.of_each import asked_of_each

DAYS = 30
PER_PAGE = 50
_FINDINGS = named("admin_ui.staff", "findings")
_PLACE = re.compile(r"([1-9])\.([0-9]{1,10})\.([0-9]{6})\.([0-9a-f]{32})", re.ASCII)
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
    """`counts` are findings by state, `kinds` checks by kind over `DAYS` days, `unchecked` tenants without any.

    `following` is the place that the next page of findings goes on from, empty at the end.
    """

    found: tuple[Found, ...]
    following: str
    is_first: bool
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


def leakage_of_all(*, state: str = FindingState.OPEN, after: str = "") -> Leakage:
    """A page of findings, the gravest first, and what all tenants' checks come to.

    `after` is the place of a finding; what is none means the beginning.
    """
    first, place = now().date() - timedelta(days=DAYS - 1), _place_read(after)
    tenants = {tenant.pk: tenant for tenant in tenants_known().order_by("name")}
    given = {
        "state": state,
        "since": first.isoformat(),
        "severities": list(SEVERITIES),
        "limit": PER_PAGE + 1,
        "after": place,
    }
    answers = asked_of_each(list(tenants), _FINDINGS, given)
    counts: Counter[str] = Counter()
    by_day: Counter[date] = Counter()
    by_kind: Counter[str] = Counter()
    for answer in answers.values():
        counts.update(answer["counts"])
        for day, kind, n in answer["checks"]:
            by_day[date.fromisoformat(day)] += n
            by_kind[kind] += n
    rows = [
        _found(tenants[tenant_id], _finding_read(tenant_id, row))
        for tenant_id, answer in answers.items()
        for row in answer["found"]
    ]
    rows.sort(key=_gravest_first)
    _owners_fetch(shown := rows[:PER_PAGE])
    return Leakage(
        found=tuple(shown),
        following=_place_of(shown[-1]) if len(rows) > PER_PAGE else "",
        is_first=place is None,
        counts={name: counts.get(name, 0) for name in STATES},
        days=_days(first, by_day),
        kinds=tuple((CHECKS.get(kind, kind), n) for kind, n in sorted(by_kind.items())),
        tenants=len(tenants),
        unchecked=tuple(
            tenant
            for tenant in tenants.values()
            if tenant.suspended_at is None and not answers[tenant.pk]["checks"]
        ),
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


def _finding_read(tenant_id: UUID, row: dict[str, Any]) -> Finding:
    """A finding as a list shows it: without its evidence."""
    fields = {name: row[name] for name in ("kind", "severity", "state", "where", "turn", "owner_id")}
    at = datetime.fromisoformat(row["created_at"])
    return Finding(id=UUID(row["id"]), tenant_id=tenant_id, created_at=at, **fields)


def _owners_fetch(rows: Sequence[Found]) -> None:
    """In one query for all of them."""
    owners = User.objects.in_bulk({row.finding.owner_id for row in rows if row.finding.owner_id})
    for row in rows:
        row.finding.owner = owners.get(row.finding.owner_id)


def _place_of(row: Found) -> str:
    rank = list(SEVERITIES).index(row.finding.severity) + 1
    at = row.finding.created_at
    return f"{rank}.{at.replace(microsecond=0).timestamp():.0f}.{at.microsecond:06}.{row.finding.pk.hex}"


def _place_read(text: str) -> JsonObject | None:
    found = _PLACE.fullmatch(text)
    if found is None:
        return None
    at = datetime.fromtimestamp(int(found[2]), UTC) + timedelta(microseconds=int(found[3]))
    return {"rank": int(found[1]), "at": at.isoformat(), "id": str(UUID(found[4]))}


def _found(tenant: Tenant, finding: Finding) -> Found:
    return Found(tenant, finding, SEVERITIES[finding.severity], STATES[finding.state])


def _gravest_first(row: Found) -> tuple[int, float, int]:
    at, pk = row.finding.created_at.timestamp(), row.finding.pk.int
    return list(SEVERITIES).index(row.finding.severity), -at, -pk


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
