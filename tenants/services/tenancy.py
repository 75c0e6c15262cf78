"""What platform staff do with whole tenants: open, suspend, resume, invite an owner. Each is in the tenant's log."""

from __future__ import annotations

import re
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from kernel.clock import now
from kernel.errors import Invalid
from tenants.errors import TenantNotFound
from tenants.models import Tenant, User
from tenants.scoping import tenant_scope
from tenants.selectors.people import RESERVED
from tenants.services.audit import audit_record
from tenants.services.invitations import Issued, owner_invite
from tenants.services.people import tenant_create
from tenants.services.reasons import reason_given
from tenants.standing import Ground, standing_changed

SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
"""What an address `/t/<slug>/` can hold."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A new tenant with the invitation of its first owner."""

    tenant: Tenant
    invited: Issued


@transaction.atomic
def tenant_open(*, name: str, slug: str, owner_email: str, by: User) -> Opened:
    """A new tenant and the invitation of its first owner. Raises `Invalid`."""
    name, slug = name.strip(), slug.strip().lower()
    if not name or len(name) > 120:
        raise Invalid(reason="Enter the company's name, at most 120 characters.")
    _check_slug(slug)
    tenant = tenant_create(slug=slug, name=name)
    with tenant_scope(tenant.id):
        return Opened(tenant, owner_invite(email=owner_email, by=by))


@transaction.atomic
def tenant_suspend(*, tenant_id: UUID, reason: str) -> Tenant:
    """Close every door of a tenant: pages, API, sockets. Its data stays. Raises `Invalid`, `TenantNotFound`."""
    reason = reason_given(reason)
    tenant = tenant_locked(tenant_id)
    if tenant.suspended_at is None:
        tenant.suspended_at = now()
        _written(tenant)
        with tenant_scope(tenant_id):
            audit_record("tenant.suspended", target=tenant.slug, reason=reason)
        standing_changed(Ground.TENANT, tenant_id)
    return tenant


@transaction.atomic
def tenant_resume(*, tenant_id: UUID, reason: str) -> Tenant:
    """Open the doors again. Raises `Invalid`, `TenantNotFound`."""
    reason = reason_given(reason)
    tenant = tenant_locked(tenant_id)
    if tenant.suspended_at is not None:
        tenant.suspended_at = None
        _written(tenant)
        with tenant_scope(tenant_id):
            audit_record("tenant.resumed", target=tenant.slug, reason=reason)
    return tenant


def _check_slug(slug: str) -> None:
    if not SLUG.fullmatch(slug):
        raise Invalid(
            reason="A short name has 1 to 40 small letters, digits and hyphens, with no hyphen at either end."
        )
    if slug.startswith(RESERVED):
        raise Invalid(reason=f"Short names that begin with {' or '.join(RESERVED)} are the platform's own.")
    if Tenant.objects.filter(slug=slug).exists():
        raise Invalid(reason=f"The short name {slug} is taken. Choose another one.")


def tenant_locked(tenant_id: UUID) -> Tenant:
    """Inside a transaction. Raises `TenantNotFound`."""
    tenant = Tenant.objects.select_for_update(no_key=True).filter(pk=tenant_id).first()
    if tenant is None:
        raise TenantNotFound
    return tenant


def _written(tenant: Tenant) -> None:
    tenant.save(update_fields=["suspended_at"])
