"""The doors of single sign-on: the OpenID Connect providers of this workspace."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from admin_ui.access import access_owner
from admin_ui.asked import text_asked
from admin_ui.selectors.members import provider_form
from admin_ui.sites import console
from kernel.errors import DomainError
from tenants.adapters.issuer_http import issuer_probe
from tenants.models import Role, SignInProvider
from tenants.selectors.providers import provider_found
from tenants.services.providers import ProviderInput, domains_in, provider_remove, provider_save
from tenants.sign_in.guards import public_url

METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(METHODS)
def new(request: HttpRequest) -> HttpResponse:
    return _edited(request, None)


@require_http_methods(METHODS)
def edit(request: HttpRequest, provider_id: UUID) -> HttpResponse:
    return _edited(request, provider_id)


@require_POST
def remove(request: HttpRequest, provider_id: UUID) -> HttpResponse:
    by = access_owner(request)
    removed = provider_remove(provider_id=provider_id, by=by)
    messages.success(request, f"Nobody signs in with {removed.name} any more.")
    return redirect("console-members")


def _edited(request: HttpRequest, provider_id: UUID | None) -> HttpResponse:
    by = access_owner(request)
    provider = provider_found(provider_id) if provider_id else None
    if request.method != "POST":
        return _page(request, provider, provider_form(provider))
    wanted = _wanted(request)
    try:
        saved = provider_save(wanted=wanted, by=by, probe=issuer_probe, provider_id=provider_id)
    except DomainError as error:
        messages.error(request, error.message)
        return _page(
            request, provider, {**provider_form(provider), **_shown(wanted)}, status=error.http_status
        )
    if provider is None:
        messages.success(request, "Saved. Enter the address below at the provider, then try the button.")
        return redirect("console-sign-in-provider", saved.pk)
    messages.success(request, f"“{saved.name}” is saved.")
    return redirect("console-members")


def _page(
    request: HttpRequest, provider: SignInProvider | None, form: dict[str, object], status: int = 200
) -> HttpResponse:
    back = reverse("openid_connect_callback", args=[provider.pk]) if provider else ""
    context = console.page_context(
        request,
        provider.name if provider else "New provider",
        provider=provider,
        form=form,
        callback=public_url(request, back) if back else "",
        roles=[role for role in Role if role != Role.OWNER],
    )
    return render(request, "admin_ui/members/provider.html", context, status=status)


def _wanted(request: HttpRequest) -> ProviderInput:
    return ProviderInput(
        name=text_asked(request.POST, "name"),
        issuer=request.POST.get("issuer", "").replace("\0", "")[:300],
        client_id=request.POST.get("client_id", "").replace("\0", "")[:300],
        client_secret=request.POST.get("client_secret", "").replace("\0", "")[:1000],
        email_domains=domains_in(request.POST.get("email_domains", "").replace("\0", "")[:4000]),
        default_role=text_asked(request.POST, "default_role"),
        enabled=request.POST.get("enabled") == "yes",
    )


def _shown(wanted: ProviderInput) -> dict[str, Any]:
    """What was entered, without the secret."""
    return {
        "name": wanted.name,
        "issuer": wanted.issuer,
        "client_id": wanted.client_id,
        "email_domains": ", ".join(wanted.email_domains),
        "default_role": wanted.default_role,
        "enabled": wanted.enabled,
    }
