"""That there are findings, told to the platform's staff: how many are open, and one letter about those that are new.

Findings stand behind each tenant's wall. A notice stands outside: whose it is, how grave, and nothing of what was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse

from conversations.audits.records import Finding, FindingNotice, FindingSeverity, FindingState
from kernel.clock import now
from tenants.models import User
from tenants.scoping import current_tenant_id
from tenants.selectors import tenants_known
from tenants.services.mail import Letter

GRAVEST_FIRST = tuple(FindingSeverity.values)


def notices_add(findings: Iterable[Finding]) -> None:
    """Stored findings of the current tenant are known to staff from now on."""
    FindingNotice.objects.bulk_create(
        [
            FindingNotice(finding_id=f.pk, workspace=current_tenant_id(), severity=f.severity)
            for f in findings
        ],
        ignore_conflicts=True,
    )


def notice_judged(finding: Finding) -> None:
    notices = FindingNotice.objects.filter(finding_id=finding.pk)
    notices.update(is_open=finding.state == FindingState.OPEN)


def notices_forget(*, session_ids: Sequence[UUID]) -> None:
    """Nobody is told of what is found in these sessions of the current tenant: they are about to be deleted."""
    gone = list(Finding.objects.filter(session__in=session_ids).values_list("pk", flat=True))
    FindingNotice.objects.filter(pk__in=gone, workspace=current_tenant_id()).delete()


def notices_complete() -> None:
    """Make known the current tenant's open findings that staff were not told of: some are older than notices are."""
    notices_add(Finding.objects.filter(state=FindingState.OPEN).only("pk", "severity"))


def findings_open() -> int:
    """Open findings of all tenants, in one query; not of those that exist for the length of a test."""
    return _of_tenants(is_open=True).count()


@transaction.atomic
def notices_claim() -> dict[str, int]:
    """How many findings nobody was written to about, by severity. They count as written about from now on."""
    new = _of_tenants(mailed_at=None).select_for_update(skip_locked=True)
    claimed = list(new.values_list("pk", "severity"))
    FindingNotice.objects.filter(pk__in=[pk for pk, _ in claimed]).update(mailed_at=now())
    return dict(Counter(severity for _, severity in claimed))


def staff_to_write_to() -> Sequence[int]:
    return list(
        User.objects.filter(is_staff=True, is_active=True).exclude(email="").values_list("pk", flat=True)
    )


def finding_letter(*, user: User, counts: dict[str, int]) -> Letter:
    """One letter about one new finding or many. `counts` are by severity."""
    told = [f"{counts[severity]} {severity}" for severity in GRAVEST_FIRST if counts.get(severity)]
    total = sum(counts.values())
    what = "A leakage finding" if total == 1 else f"{total} leakage findings"
    link = f"{settings.PUBLIC_URL}{reverse('staff-leakage')}" if settings.PUBLIC_URL else ""
    return Letter(
        to=user.email,
        subject=f"{what} ({', '.join(told)})",
        lines=(
            f"The leakage audit found something new: {', '.join(told)}.",
            "What it is and where it stood is shown in the staff console, under “Leakage audit”, and nowhere else.",
        ),
        button="Open the leakage audit" if link else "",
        link=link,
        foot="Each finding is written about once. It stays open until somebody of the staff has judged it.",
    )


def _of_tenants(**those: object) -> QuerySet[FindingNotice]:
    return FindingNotice.objects.filter(**those, workspace__in=tenants_known().values("pk"))
