"""Reading the members of a tenant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Lower, NullIf

from kernel.errors import NotFound
from tenants.errors import OwnersOnly, RoleForbids, TwoFactorRequired
from tenants.logins import login_limit
from tenants.models import Membership, Role, Tenant, User
from tenants.roles import May, role_may
from tenants.scoping import own_memberships_scope
from tenants.selectors.people import counts_now, membership_of


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member as the console lists one."""

    membership: Membership
    user: User
    role: Role
    two_factor: bool


@dataclass(frozen=True, slots=True)
class MemberFigures:
    """How many members there are, how many of them without a second factor, and how many owners.

    Who visits for support is no member, and counts among owners only.
    """

    members: int
    without_two_factor: int
    owners: int


def members_found() -> QuerySet[Membership]:
    """Everybody with a role in the current tenant, support visits included: owners first, then by name."""
    order = Case(*(When(role=role, then=place) for place, role in enumerate(Role.values)))
    called = Lower(Coalesce(NullIf("user__name", Value("")), "user__email"))
    return _counting().select_related("user").order_by(order, called, "user_id")


def member_row(membership: Membership) -> MemberRow:
    """Of one of `members_found`."""
    has_one: bool = membership.two_factor  # type: ignore[attr-defined]
    return MemberRow(membership, membership.user, Role(membership.role), has_one)


def members_list() -> Sequence[MemberRow]:
    """All of `members_found`."""
    return [member_row(row) for row in members_found()]


def member_figures() -> MemberFigures:
    """One query."""
    members = Q(until=None)
    return MemberFigures(
        **_counting().aggregate(
            members=Count("pk", filter=members),
            without_two_factor=Count("pk", filter=members & Q(two_factor=False)),
            owners=Count("pk", filter=Q(role=Role.OWNER)),
        )
    )


def _counting() -> QuerySet[Membership]:
    """The memberships that count now, each with whether there is a second factor."""
    two_factor = Authenticator.objects.filter(user_id=OuterRef("user_id"), type=Authenticator.Type.TOTP)
    return Membership.objects.filter(counts_now()).annotate(two_factor=Exists(two_factor))


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
