"""Writing who is who."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Group
from django.db import transaction
from django.utils.text import slugify

from kernel.errors import Invalid
from tenants.errors import TenantNotFound
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
from tenants.services.audit import audit_record
from tenants.services.logins import logins_end_in_tenant
from tenants.standing import Ground, standing_changed

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
        audit_record("tenant.created", target=tenant.slug, name=tenant.name)
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
    if not builtin:
        audit_record("audience.created", target=str(audience.pk), name=audience.name)
    return audience


@transaction.atomic
def membership_set(*, user: User, role: str) -> Membership:
    """Make somebody a member, or give a member another role."""
    before = Membership.objects.select_for_update().filter(user=user).first()
    stays = {"role": role, "until": None, "reason": ""}
    membership, _ = Membership.objects.update_or_create(user=user, defaults=stays)
    if before is None or before.is_support or before.role != role:
        was = None if before is None or before.is_support else str(before.role)
        audit_record("membership.set", target=user.email, user=user.pk, role=str(role), before=was)
        _look_anew(user)
    return membership


def end_user_for_account(*, user: User) -> EndUser:
    """The end user behind a signed-in account, made on first sight."""
    end_user = EndUser.objects.filter(user=user).first()
    if end_user is None:
        # Somebody who was taken out and came back is the end user they were.
        end_user, _ = EndUser.objects.update_or_create(
            subject=f"account:{user.pk}",
            defaults={"user": user, "kind": EndUserKind.ACCOUNT, "name": str(user)},
        )
    return end_user


def membership_end(membership: Membership) -> None:
    """Inside a transaction, with the member or visitor locked: role, audiences and sign-ins here go."""
    user = membership.user
    _look_anew(user)
    Membership.objects.filter(pk=membership.pk).delete()
    # The account is no longer somebody here; its conversations stay the workspace's.
    EndUserAudience.objects.filter(end_user__user=user).delete()
    EndUser.objects.filter(user=user).update(user=None)
    if membership.is_support:
        audit_record("support.left", target=user.email, role=membership.role, reason=membership.reason)
    else:
        audit_record("membership.removed", target=user.email, role=membership.role)
    logins_end_in_tenant(user_id=user.pk)


def _look_anew(user: User) -> None:
    """The open connections of an account here find out what it may do now."""
    standing_changed(Ground.END_USER, *EndUser.objects.filter(user=user).values_list("pk", flat=True))


def end_user_for_device(*, device: str) -> EndUser:
    """The anonymous visitor behind a signed device token, made on first sight."""
    end_user, _ = EndUser.objects.get_or_create(
        subject=f"device:{device}", defaults={"kind": EndUserKind.ANONYMOUS}
    )
    return end_user


@transaction.atomic
def audiences_join(*, end_user: EndUser, audiences: Iterable[Audience]) -> None:
    joined = [
        audience
        for audience in audiences
        if EndUserAudience.objects.get_or_create(end_user=end_user, audience=audience)[1]
    ]
    for audience in joined:
        audit_record(
            "audience.joined", target=str(audience.pk), name=audience.name, end_user=str(end_user.pk)
        )


@transaction.atomic
def retention_set(*, tenant_id: UUID, mode: str, days: int | None = None) -> None:
    """How long the tenant keeps conversations; `days` is required where `mode` is "days". Raises `Invalid`."""
    if mode not in Retention.values:
        raise Invalid(reason=f"Retention is one of: {', '.join(Retention.values)}.")
    changed: dict[str, Any] = {"retention": mode}
    if mode == Retention.DAYS:
        if days is None or not 1 <= days <= LONGEST_RETENTION_DAYS:
            raise Invalid(reason=f"Days must be a number from 1 to {LONGEST_RETENTION_DAYS}.")
        changed["retention_days"] = days
    tenant = Tenant.objects.select_for_update(no_key=True).filter(pk=tenant_id).first()
    if tenant is None:
        raise TenantNotFound
    before: dict[str, Any] = {"retention": str(tenant.retention), "retention_days": tenant.retention_days}
    Tenant.objects.filter(pk=tenant_id).update(**changed)
    if before != before | changed:
        with tenant_scope(tenant_id):
            audit_record("retention.set", mode=mode, days=days, before=before)
