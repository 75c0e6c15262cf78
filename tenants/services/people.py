"""Writing who is who."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Group
from django.db import transaction
from django.utils.text import slugify

from kernel.errors import Invalid
from tenants.models import (
    Audience,
    EndUser,
    EndUserAudience,
    EndUserKind,
    Membership,
    Retention,
    Tenant,
    User,
)
from tenants.scoping import tenant_scope

LONGEST_RETENTION_DAYS = 3650

BUILTIN_AUDIENCES = (
    (Audience.EVERYONE, "Everyone", "Everybody who can open the chat, anonymous visitors included."),
    (Audience.MEMBERS, "Members", "Everybody with a role in this workspace."),
)


@transaction.atomic
def tenant_create(*, slug: str, name: str, **fields: Any) -> Tenant:
    """Open a workspace, with the audiences that every workspace has."""
    tenant = Tenant.objects.create(slug=slug, name=name, **fields)
    with tenant_scope(tenant.id):
        for audience_slug, audience_name, description in BUILTIN_AUDIENCES:
            audience_create(name=audience_name, slug=audience_slug, description=description, builtin=True)
    return tenant


@transaction.atomic
def audience_create(*, name: str, slug: str = "", description: str = "", builtin: bool = False) -> Audience:
    """A named group of end users. Its Django group is what document permissions are granted to."""
    audience = Audience(name=name, slug=slug or slugify(name), description=description, builtin=builtin)
    # Django's groups are global and unique by name: the tenant's id keeps two tenants' names apart.
    audience.group = Group.objects.create(name=f"{audience.tenant_id}/{audience.slug}")
    audience.save()
    return audience


def membership_set(*, user: User, role: str) -> Membership:
    membership, _ = Membership.objects.update_or_create(user=user, defaults={"role": role})
    return membership


def end_user_for_account(*, user: User) -> EndUser:
    """The end user behind a signed-in account, made on first sight."""
    end_user, _ = EndUser.objects.get_or_create(
        user=user,
        defaults={"subject": f"account:{user.pk}", "kind": EndUserKind.ACCOUNT, "name": str(user)},
    )
    return end_user


def end_user_for_device(*, device: str) -> EndUser:
    """The anonymous visitor behind a signed device token, made on first sight."""
    end_user, _ = EndUser.objects.get_or_create(
        subject=f"device:{device}", defaults={"kind": EndUserKind.ANONYMOUS}
    )
    return end_user


def audiences_join(*, end_user: EndUser, audiences: Iterable[Audience]) -> None:
    for audience in audiences:
        EndUserAudience.objects.get_or_create(end_user=end_user, audience=audience)


def retention_set(*, tenant_id: UUID, mode: str, days: int | None = None) -> None:
    """How long the tenant keeps conversations; `days` is required where `mode` is "days". Raises `Invalid`."""
    if mode not in Retention.values:
        raise Invalid(reason=f"Retention is one of: {', '.join(Retention.values)}.")
    changed: dict[str, Any] = {"retention": mode}
    if mode == Retention.DAYS:
        if days is None or not 1 <= days <= LONGEST_RETENTION_DAYS:
            raise Invalid(reason=f"Days must be a number from 1 to {LONGEST_RETENTION_DAYS}.")
        changed["retention_days"] = days
    Tenant.objects.filter(pk=tenant_id).update(**changed)
