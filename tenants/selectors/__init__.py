"""Reading who owns what."""

from __future__ import annotations

from tenants.selectors.people import (
    Workspace,
    active_tenant_ids,
    belongs_here,
    membership_of,
    principal_asked,
    principal_for,
    tenant_by_slug,
    tenants_known,
    workspaces_of,
)

__all__ = [
    "Workspace",
    "active_tenant_ids",
    "belongs_here",
    "membership_of",
    "principal_asked",
    "principal_for",
    "tenant_by_slug",
    "tenants_known",
    "workspaces_of",
]
