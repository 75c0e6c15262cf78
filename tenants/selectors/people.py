"""Reading who is who."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from kernel.clock import now
from tenants.access import SEES_ALL_ROLES, Principal
from tenants.acting import Actor, staff_actor, user_actor
from tenants.errors import TenantNotFound, TenantSuspended
from tenants.models import EndUser, Membership, Tenant, User
from tenants.postgres.statements import Asked, Statement, answer
from tenants.scoping import own_memberships_scope

_PRINCIPAL = Statement.named("tenants", "principal")

RESERVED = ("selftest-", "evaluation-")
"""Beginnings of the short names of tenants that the platform makes for itself and removes again."""


@dataclass(frozen=True, slots=True)
class Workspace:
    name: str
    slug: str
    tagline: str

    @property
    def url(self) -> str:
        return f"/t/{self.slug}/"


def tenant_by_slug(slug: str) -> Tenant:
    """The active tenant at `/t/<slug>/`. Raises `TenantNotFound` or `TenantSuspended`."""
    tenant = Tenant.objects.filter(slug=slug).first()
    if tenant is None:
        raise TenantNotFound
    if tenant.suspended_at is not None:
        raise TenantSuspended
    return tenant


def tenants_known() -> QuerySet[Tenant]:
    """Every tenant but those that the platform makes for itself for the length of a test."""
    found = Tenant.objects.all()
    for beginning in RESERVED:
        found = found.exclude(slug__startswith=beginning)
    return found


def active_tenant_ids() -> Sequence[UUID]:
    return list(Tenant.objects.filter(suspended_at=None).order_by("id").values_list("id", flat=True))


def workspaces_of(user: User) -> list[Workspace]:
    """The tenants a user is a member of, found through the user's own memberships only."""
    with own_memberships_scope(user.pk):
        ids = list(Membership.own.filter(counts_now()).values_list("tenant_id", flat=True))
    tenants = Tenant.objects.filter(id__in=ids, suspended_at=None).order_by("name")
    return [Workspace(tenant.name, tenant.slug, tenant.tagline) for tenant in tenants]


def membership_of(user: User) -> Membership | None:
    """The user's membership in the current tenant; a support visit that is over is none."""
    return Membership.objects.filter(counts_now(), user=user).first()


def account_actor(user: User) -> Actor:
    """Whom the log names for what an account does here: platform staff without a membership of their own is staff."""
    membership = membership_of(user) if user.is_staff else None
    visits = user.is_staff and (membership is None or membership.is_support)
    return staff_actor(user) if visits else user_actor(user)


def counts_now() -> Q:
    """Which memberships count at this moment: members', and support visits that are not over."""
    return Q(until=None) | Q(until__gt=now())


def membership_counts(membership: Membership) -> bool:
    """The same for one that was read."""
    return membership.until is None or membership.until > now()


def belongs_here(user: User) -> bool:
    """Whether the account is a member or a known end user of the current tenant; nobody whose support visit is over."""
    membership = Membership.objects.filter(user=user).first()
    if membership is not None:
        return membership_counts(membership)
    return EndUser.objects.filter(user=user).exists()


def principal_for(*, tenant_id: UUID, user: User | None, end_user: EndUser | None) -> Principal:
    """The asking person with the grants of this moment, in one query."""
    return answer(
        principal_asked(
            tenant_id=tenant_id,
            user_id=user.pk if user else None,
            end_user_id=end_user.pk if end_user else None,
        )
    )


def principal_asked(*, tenant_id: UUID, user_id: int | None, end_user_id: UUID | None) -> Asked[Principal]:
    """The question for it, to go with others."""

    def read(rows: list[Any]) -> Principal:
        role, groups = rows[0]
        return Principal(
            tenant_id=tenant_id,
            user_id=user_id,
            end_user_id=end_user_id,
            group_ids=tuple(groups),
            sees_all=role in SEES_ALL_ROLES,
            role=role,
        )

    values = {"tenant_id": tenant_id, "user_id": user_id, "end_user_id": end_user_id, "moment": now()}
    return Asked(_PRINCIPAL, values, read)
