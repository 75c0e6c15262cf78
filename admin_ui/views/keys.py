"""The doors of keys: for programs, and for the identities that a workspace signs. A secret is shown once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from admin_ui.asked import choice_asked, text_asked
from admin_ui.permits import access_permitted, may
from admin_ui.selectors import keys as read
from admin_ui.sites import console
from kernel.clock import now
from kernel.errors import DomainError
from tenants.models import Algorithm, Scope
from tenants.roles import May
from tenants.services.identities import identity_key_create, identity_key_retire, identity_key_revoke
from tenants.services.keys import api_key_create, api_key_revoke

LIVES = {"30": "30 days", "90": "90 days", "365": "a year", "never": "until it is revoked"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A secret on the one page that ever has it."""

    title: str
    secret: str
    how: str


@require_GET
def keys(request: HttpRequest) -> HttpResponse:
    access_permitted(request, May.MANAGE_KEYS)
    return _page(request)


@require_POST
def new(request: HttpRequest) -> HttpResponse:
    """`name`, `scopes` (one or more) and `life`."""
    access_permitted(request, May.MANAGE_KEYS)
    try:
        key, secret = api_key_create(
            name=text_asked(request.POST, "name"),
            scopes=request.POST.getlist("scopes"),
            expires_at=_expiry(request),
        )
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("console-keys")
    how = "Programs send it as “Authorization: Bearer …”."
    return _page(request, shown=Shown(f"The key “{key.name}”", secret, how))


@require_POST
def revoke(request: HttpRequest, key_id: UUID) -> HttpResponse:
    access_permitted(request, May.MANAGE_KEYS)
    return _done(request, lambda: f"“{api_key_revoke(key_id=key_id).name}” is refused from now on.")


@require_POST
def identity_new(request: HttpRequest) -> HttpResponse:
    """`kid`, `algorithm`, `material` (a public key, or a secret of their own) and `aud`."""
    access_permitted(request, May.MANAGE_KEYS)
    try:
        key, secret = identity_key_create(
            kid=text_asked(request.POST, "kid"),
            algorithm=choice_asked(request.POST, "algorithm", Algorithm.values),
            material=request.POST.get("material", "").replace("\0", ""),
            expected_aud=text_asked(request.POST, "aud"),
        )
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("console-keys")
    if not secret:
        messages.success(request, f"“{key.kid}” checks identities from now on.")
        return redirect("console-keys")
    how = f"Your server signs identities with it, and names it in the header as kid “{key.kid}”. It never belongs into a page."
    return _page(request, shown=Shown(f"The secret of “{key.kid}”", secret, how))


@require_POST
def identity_retire(request: HttpRequest, key_id: UUID) -> HttpResponse:
    access_permitted(request, May.MANAGE_KEYS)
    told = "is retired: what it signed before counts until it expires."
    return _done(request, lambda: f"“{identity_key_retire(key_id=key_id).kid}” {told}")


@require_POST
def identity_revoke(request: HttpRequest, key_id: UUID) -> HttpResponse:
    access_permitted(request, May.MANAGE_KEYS)
    return _done(request, lambda: f"“{identity_key_revoke(key_id=key_id).kid}” is refused from now on.")


def _page(request: HttpRequest, **more: Any) -> HttpResponse:
    context = console.page_context(
        request,
        "Keys",
        api_keys=read.api_keys_page(request.GET.get("keys", "1")),
        identity_keys=read.identity_keys_page(request.GET.get("identities", "1")),
        widgets=read.widgets_page(request.GET.get("widgets", "1"))
        if may(request, May.MANAGE_WIDGET)
        else None,
        scopes=Scope.choices,
        lives=LIVES,
        algorithms=Algorithm.choices,
        **more,
    )
    return render(request, "admin_ui/keys/list.html", context)


def _expiry(request: HttpRequest) -> Any:
    life = choice_asked(request.POST, "life", LIVES) or "90"
    return None if life == "never" else now() + timedelta(days=int(life))


def _done(request: HttpRequest, change: Callable[[], str]) -> HttpResponse:
    try:
        messages.success(request, change())
    except DomainError as error:
        messages.error(request, error.message)
    return redirect("console-keys")
