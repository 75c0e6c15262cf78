"""Platform staff come into a workspace for support: in a role, for a while, with a reason that the workspace reads."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db import transaction

from kernel.clock import now
from kernel.errors import Forbidden, Invalid
from tenants.models import Membership, Role, User
from tenants.scoping import tenant_scope
from tenants.selectors.people import counts_now
from tenants.services.audit import audit_record
from tenants.services.people import membership_end
from tenants.services.reasons import reason_given
from tenants.services.tenancy import tenant_locked

SUPPORT_ROLES = (Role.ANALYST, Role.EDITOR, Role.ADMIN)
"""Nobody comes in as an owner: who owns a workspace is its owners' to say."""
SUPPORT_MINUTES = (15, 60, 240)


@transaction.atomic
def support_enter(*, tenant_id: UUID, by: User, role: str, minutes: int, reason: str) -> Membership:
    """Let a member of staff in until then; entering again replaces role, end and reason.

    Raises `Forbidden` for anybody but staff, `Invalid`, and `TenantNotFound`.
    """
    if not (by.is_active and by.is_staff):
        raise Forbidden
    reason = reason_given(reason)
    if role not in SUPPORT_ROLES or minutes not in SUPPORT_MINUTES:
        raise Invalid(reason="Choose a role and a time from the list.")
    tenant = tenant_locked(tenant_id)
    until = now() + timedelta(minutes=minutes)
    with tenant_scope(tenant.pk):
        if Membership.objects.filter(user=by, until=None).exists():
            raise Invalid(reason="You are a member of this workspace and need no support visit.")
        stays = {"role": role, "until": until, "reason": reason}
        visit, _ = Membership.objects.update_or_create(user=by, defaults=stays)
        audit_record("support.entered", target=by.email, role=role, until=until.isoformat(), reason=reason)
    return visit


@transaction.atomic
def support_leave(*, user: User) -> None:
    """End a visit before its time: pages and open sockets of the visitor close. Nothing happens without one."""
    for visit in Membership.objects.select_for_update().filter(user=user, until__isnull=False):
        membership_end(visit)


@transaction.atomic
def support_visits_expire() -> int:
    """Remove the visits of the current tenant that are over; how many there were."""
    over = Membership.objects.select_for_update(skip_locked=True, of=("self",)).select_related("user")
    visits = list(over.exclude(counts_now()))
    for visit in visits:
        membership_end(visit)
    return len(visits)
