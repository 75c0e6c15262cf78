"""Writing the OpenID Connect providers of a tenant, and who joins through one.

Whoever runs a provider says who is who in its workspace, so only owners set one up, and a sign-in through it counts
in that workspace only (`tenants.logins`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.text import slugify

from kernel.errors import Invalid, NotFound
from tenants.acting import acting_as, or_else, user_actor
from tenants.errors import (
    OwnersOnly,
    SignInEmailOutside,
    SignInEmailUnverified,
    SignInNotInvited,
    SignInPasswordOnly,
)
from tenants.models import Invitation, Membership, Role, SignInProvider, User
from tenants.roles import May, role_may
from tenants.sealing import seal, unseal
from tenants.selectors.invitations import invitation_for
from tenants.selectors.people import belongs_here
from tenants.services.audit import audit_record
from tenants.services.invitations import joined
from tenants.services.logins import logins_end_of_provider
from tenants.services.people import membership_set

DOMAIN = re.compile(r"^(?=.{4,253}$)([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$")
Probe = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ProviderInput:
    """What an owner enters. An empty `client_secret` keeps the one there is."""

    name: str
    issuer: str
    client_id: str
    client_secret: str = ""
    email_domains: tuple[str, ...] = ()
    default_role: str = Role.ANALYST
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Claims:
    """What a provider says of somebody, after its signature was checked."""

    email: str
    email_verified: bool
    name: str = ""

    @property
    def domain(self) -> str:
        return self.email.rpartition("@")[2]


def provider_save(
    *, wanted: ProviderInput, by: Membership, probe: Probe, provider_id: UUID | None = None
) -> SignInProvider:
    """Add a provider or change one. `probe` asks the issuer for its configuration and raises if there is none."""
    check_owner(by)
    wanted = _checked(wanted)
    probe(wanted.issuer)
    return _provider_store(wanted, provider_id)


@transaction.atomic
def _provider_store(wanted: ProviderInput, provider_id: UUID | None) -> SignInProvider:
    provider = _locked(provider_id) if provider_id else SignInProvider(slug=_free_slug(wanted.name))
    moved = bool(provider_id) and (provider.issuer, provider.client_id) != (wanted.issuer, wanted.client_id)
    if moved and not wanted.client_secret:
        raise Invalid(reason="A new issuer or client needs its client secret entered again.")
    for field in ("name", "issuer", "client_id", "default_role", "enabled"):
        setattr(provider, field, getattr(wanted, field))
    provider.email_domains = list(wanted.email_domains)
    if wanted.client_secret:
        provider.client_secret = seal(wanted.client_secret)
    provider.save()
    if moved or not wanted.enabled:
        logins_end_of_provider(provider_id=provider.pk)
    audit_record(
        "sign_in_provider.changed" if provider_id else "sign_in_provider.created",
        target=provider.name,
        issuer=provider.issuer,
        client_id=provider.client_id,
        email_domains=list(wanted.email_domains),
        default_role=str(provider.default_role),
        enabled=provider.enabled,
    )
    return provider


@transaction.atomic
def provider_remove(*, provider_id: UUID, by: Membership) -> SignInProvider:
    """Nobody signs in through it any more, and whoever did is signed out. Members stay members."""
    check_owner(by)
    provider = _locked(provider_id)
    SignInProvider.objects.filter(pk=provider_id).delete()
    audit_record("sign_in_provider.removed", target=provider.name, issuer=provider.issuer)
    logins_end_of_provider(provider_id=provider_id)
    return provider


def client_secret_of(provider: SignInProvider) -> str:
    return unseal(provider.client_secret) if provider.client_secret else ""


@transaction.atomic
def provider_sign_in(*, provider: SignInProvider, claims: Claims, linked: User | None) -> User:
    """The account that these claims sign in to in the current tenant. Raises why there is none.

    `linked` is the account that signed in with the same subject before. An account is found by its address only where
    the provider has confirmed the address; who is unknown joins only by invitation or from a domain listed for it.
    """
    if not claims.email or not claims.email_verified:
        raise SignInEmailUnverified(provider=provider.name)
    if provider.email_domains and claims.domain not in provider.email_domains:
        raise SignInEmailOutside(provider=provider.name, email=claims.email)
    user = linked or User.objects.filter(email=claims.email).first()
    if user is not None and (user.is_staff or user.is_superuser or not user.is_active):
        raise SignInPasswordOnly
    if user is not None and belongs_here(user):
        return user
    invitation = invitation_for(user.email if user else claims.email)
    if invitation is None and (linked is not None or not provider.email_domains):
        # Somebody who was taken out comes back by invitation, not by signing in once more.
        raise SignInNotInvited(email=claims.email)
    return _joined(
        provider, invitation, user or User.objects.create_user(claims.email, name=claims.name[:120])
    )


def _joined(provider: SignInProvider, invitation: Invitation | None, user: User) -> User:
    if invitation is not None:
        joined(invitation, user)
        return user
    with acting_as(or_else(user_actor(user))):
        membership_set(user=user, role=provider.default_role)
    return user


def check_owner(by: Membership) -> None:
    if not role_may(by.role, May.MANAGE_OWNERS):
        raise OwnersOnly


def domains_in(text: str) -> tuple[str, ...]:
    """The domains in a text that names them with commas, spaces or lines between, a leading @ dropped."""
    return domains_of(part for part in re.split(r"[\s,;]+", text) if part)


def domains_of(named: Iterable[str]) -> tuple[str, ...]:
    """As they are kept: each once, in small letters, a leading @ dropped."""
    return tuple(dict.fromkeys(domain.lstrip("@").lower() for domain in named))


def _checked(wanted: ProviderInput) -> ProviderInput:
    name, issuer, client_id = wanted.name.strip(), wanted.issuer.strip().rstrip("/"), wanted.client_id.strip()
    if not name or not client_id:
        raise Invalid(reason="Name and client id are needed.")
    schemes = {"https", "http"} if settings.SIGN_IN_PRIVATE_ISSUERS else {"https"}
    if urlsplit(issuer).scheme not in schemes or not urlsplit(issuer).hostname:
        raise Invalid(reason="The issuer is an address such as https://login.company.example.")
    if wanted.default_role not in Role.values or wanted.default_role == Role.OWNER:
        raise Invalid(reason="Whoever joins by signing in becomes an analyst, an editor or an admin.")
    _check_domains(wanted.email_domains)
    return ProviderInput(
        name[:80],
        issuer[:300],
        client_id[:300],
        wanted.client_secret.strip(),
        wanted.email_domains,
        wanted.default_role,
        wanted.enabled,
    )


def _check_domains(domains: Iterable[str]) -> None:
    for domain in domains:
        if not DOMAIN.match(domain):
            raise Invalid(reason=f"“{domain[:60]}” is not a domain such as company.example.")


def _locked(provider_id: UUID) -> SignInProvider:
    provider = SignInProvider.objects.select_for_update().filter(pk=provider_id).first()
    if provider is None:
        raise NotFound(what="sign-in provider")
    return provider


def _free_slug(name: str) -> str:
    base = slugify(name)[:34] or "provider"
    taken = set(SignInProvider.objects.values_list("slug", flat=True))
    numbered = (base if n == 1 else f"{base}-{n}" for n in range(1, 1000))
    return next(slug for slug in numbered if slug not in taken)
