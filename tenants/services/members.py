"""Writing who has which role in a tenant, and what the tenant asks of its members."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from kernel.errors import Invalid, NotFound
from tenants.errors import LastOwner
from tenants.models import Membership, Role, Tenant
from tenants.scoping import current_tenant_id
from tenants.selectors.members import check_may_manage
from tenants.services.audit import audit_record
from tenants.services.people import membership_end, membership_set
from tenants.standing import Ground, standing_changed


@transaction.atomic
def member_role_set(*, membership_id: UUID, role: str, by: Membership) -> Membership:
    """Give a member another role. Raises `LastOwner`, `OwnersOnly`, `RoleForbids`, `Invalid`, `NotFound`."""
    if role not in Role.values:
        raise Invalid(reason=f"A role is one of: {', '.join(Role.values)}.")
    membership = _locked(membership_id)
    check_may_manage(_as_of_now(by), membership.role, role)
    if membership.is_support:
        raise Invalid(reason="This is a support visit. End it, or invite the person if they are to stay.")
    if membership.role == Role.OWNER != role:
        _check_another_owner(membership)
    return membership_set(user=membership.user, role=role)


@transaction.atomic
def member_remove(*, membership_id: UUID, by: Membership) -> Membership:
    """Take a member out: their role, their audiences and their sign-ins here. Raises as `member_role_set`."""
    membership = _locked(membership_id)
    check_may_manage(_as_of_now(by), membership.role)
    if membership.role == Role.OWNER:
        _check_another_owner(membership)
    membership_end(membership)
    return membership


@transaction.atomic
def two_factor_require(*, required: bool, by: Membership) -> None:
    """Whether every member needs a second factor before anything else."""
    check_may_manage(_as_of_now(by))
    changed = Tenant.objects.filter(pk=current_tenant_id()).exclude(two_factor_required=required)
    if changed.update(two_factor_required=required):
        audit_record("two_factor.required" if required else "two_factor.optional")
        standing_changed(Ground.TENANT, current_tenant_id())


def _locked(membership_id: UUID) -> Membership:
    """The member, with every owner of the tenant locked: two owners cannot demote each other at once."""
    list(Membership.objects.select_for_update().filter(role=Role.OWNER).order_by("pk"))
    rows = Membership.objects.select_for_update(of=("self",)).select_related("user")
    membership = rows.filter(pk=membership_id).first()
    if membership is None:
        raise NotFound(what="member")
    return membership


def _as_of_now(by: Membership) -> Membership:
    """The acting member as they are while the lock is held: a role that was just taken away gives no more rights."""
    current = Membership.objects.filter(pk=by.pk).first()
    if current is None:
        raise NotFound(what="member")
    return current


def _check_another_owner(membership: Membership) -> None:
    if not Membership.objects.filter(role=Role.OWNER).exclude(pk=membership.pk).exists():
        raise LastOwner
