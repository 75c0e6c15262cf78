"""Reading the members of a tenant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.db.models import Exists, OuterRef

from kernel.errors import NotFound
from tenants.errors import OwnersOnly, RoleForbids, TwoFactorRequired
from tenants.logins import login_limit
from tenants.models import Membership, Role, Tenant, User
from tenants.roles import May, role_may
from tenants.scoping import own_memberships_scope
from tenants.selectors.people import counts_now, membership_of

ROLE_ORDER = tuple(Role.values)


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member as the console lists one."""

    membership: Membership
    user: User
    role: Role
    two_factor: bool


def members_list() -> Sequence[MemberRow]:
    """Everybody with a role in the current tenant, support visits included: owners first, then by name."""
    two_factor = Authenticator.objects.filter(user_id=OuterRef("user_id"), type=Authenticator.Type.TOTP)
    rows = (
        Membership.objects.filter(counts_now()).select_related("user").annotate(two_factor=Exists(two_factor))
    )
    members = [MemberRow(row, row.user, Role(row.role), row.two_factor) for row in rows]
    return sorted(members, key=lambda row: (ROLE_ORDER.index(row.role), str(row.user).lower(), row.user.pk))


def without_two_factor(rows: Sequence[MemberRow]) -> int:
    """How many members have no second factor; who visits for support is none."""
    return sum(not row.two_factor for row in rows if not row.membership.is_support)


def access_member(membership_id: UUID) -> Membership:
    """Raises `NotFound` for whoever is no member here."""
    membership = Membership.objects.select_related("user").filter(pk=membership_id).first()
    if membership is None:
        raise NotFound(what="member")
    return membership


def check_may_manage(by: Membership, *roles: str) -> None:
    """Whether `by` manages members, and owners where one of the roles is owner. Raises `RoleForbids`, `OwnersOnly`."""
    if not role_may(by.role, May.MANAGE_MEMBERS):
        raise RoleForbids
    if Role.OWNER in roles and not role_may(by.role, May.MANAGE_OWNERS):
        raise OwnersOnly


def roles_to_give(by: Membership) -> list[Role]:
    """The roles that this member may give to others."""
    owners_too = role_may(by.role, May.MANAGE_OWNERS)
    return [role for role in Role if owners_too or role != Role.OWNER]


def has_two_factor(user_id: int) -> bool:
    return bool(Authenticator.objects.filter(user_id=user_id, type=Authenticator.Type.TOTP).exists())


def check_two_factor(tenant: Tenant, user: Any, session: Mapping[str, Any] | Any) -> None:
    """Raises `TwoFactorRequired` for a member without one where the tenant asks for it.

    Whoever comes through the tenant's own provider is that provider's to ask.
    """
    if not tenant.two_factor_required or not isinstance(user, User) or login_limit(session) is not None:
        return
    if membership_of(user) is not None and not has_two_factor(user.pk):
        raise TwoFactorRequired


def two_factor_is_asked_of(user_id: int) -> bool:
    """Whether one of the user's workspaces asks its members for a second factor."""
    with own_memberships_scope(user_id):
        ids = list(Membership.own.filter(counts_now()).values_list("tenant_id", flat=True))
    return Tenant.objects.filter(id__in=ids, two_factor_required=True, suspended_at=None).exists()
