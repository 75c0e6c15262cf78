"""Reading the OpenID Connect providers of a tenant."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from kernel.errors import NotFound
from tenants.errors import SignInProviderUnknown
from tenants.models import SignInProvider


def providers_list() -> Sequence[SignInProvider]:
    """All providers of the current tenant, switched off or not."""
    return list(SignInProvider.objects.order_by("name"))


def providers_enabled() -> Sequence[SignInProvider]:
    return list(SignInProvider.objects.filter(enabled=True).order_by("name"))


def provider_found(provider_id: UUID) -> SignInProvider:
    """A provider of the current tenant, switched off or not. Raises `NotFound`."""
    provider = SignInProvider.objects.filter(pk=provider_id).first()
    if provider is None:
        raise NotFound(what="sign-in provider")
    return provider


def access_provider(provider_id: str | UUID) -> SignInProvider:
    """The enabled provider of the current tenant. Raises `SignInProviderUnknown`, for another tenant's as well."""
    try:
        key = provider_id if isinstance(provider_id, UUID) else UUID(provider_id)
    except ValueError:
        raise SignInProviderUnknown from None
    provider = SignInProvider.objects.filter(pk=key, enabled=True).first()
    if provider is None:
        raise SignInProviderUnknown
    return provider
