"""What can be wrong with a tenant or with the one who asks."""

from __future__ import annotations

from kernel.errors import DomainError


class NoTenantScope(DomainError):
    """A tenant's data was asked for outside any tenant's scope."""

    code = "no_tenant_scope"
    http_status = 500


class TenantNotFound(DomainError):
    """There is no workspace at this address."""

    code = "tenant_not_found"
    http_status = 404


class TenantSuspended(DomainError):
    """This workspace is suspended. Please contact its owner."""

    code = "tenant_suspended"
    http_status = 403


class SignInRequired(DomainError):
    """Please sign in."""

    code = "sign_in_required"
    http_status = 401
