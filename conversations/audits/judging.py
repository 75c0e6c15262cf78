"""What staff make of a finding: theirs to look into, a leak, a false alarm, or mended. Each is in the tenant's log."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from conversations.audits.notices import notice_judged
from conversations.audits.records import Finding, FindingState
from kernel.clock import now
from kernel.errors import Invalid, NotFound
from tenants.models import User
from tenants.services.audit import audit_record

MOST_NOTE = 500
NEEDS_NOTE = frozenset({FindingState.CONFIRMED, FindingState.DISMISSED, FindingState.RESOLVED})


@transaction.atomic
def finding_judge(*, finding_id: UUID, state: str, note: str, owner: User | None) -> Finding:
    """Give a finding of the current tenant another state, note and owner. Raises `NotFound`, `Invalid`."""
    note = " ".join(note.split())
    _check(state, note, owner)
    finding = Finding.objects.select_for_update().filter(pk=finding_id).first()
    if finding is None:
        raise NotFound(what="finding")
    finding.state, finding.note, finding.owner = state, note, owner
    finding.judged_at = None if state == FindingState.OPEN else now()
    finding.save(update_fields=["state", "note", "owner", "judged_at"])
    notice_judged(finding)
    audit_record(
        {
            FindingState.OPEN.value: "finding.reopened",
            FindingState.CONFIRMED.value: "finding.confirmed",
            FindingState.DISMISSED.value: "finding.dismissed",
            FindingState.RESOLVED.value: "finding.resolved",
        }[state],
        target=str(finding.pk),
        severity=str(finding.severity),
        note=note,
        owner=owner.email if owner else None,
    )
    return finding


def _check(state: str, note: str, owner: User | None) -> None:
    if state not in FindingState.values:
        raise Invalid(reason=f"A finding is one of: {', '.join(FindingState.values)}.")
    if len(note) > MOST_NOTE:
        raise Invalid(reason=f"A note has at most {MOST_NOTE} characters.")
    if state in NEEDS_NOTE and not note:
        raise Invalid(
            reason="Write down what you found: whoever comes after you reads it, and so can the workspace."
        )
    if owner is not None and not (owner.is_staff and owner.is_active):
        raise Invalid(reason="A finding is looked into by somebody of the platform's staff.")
