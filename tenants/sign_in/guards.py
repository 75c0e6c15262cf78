"""Who may open a page of the account."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

from tenants.errors import SignInThroughProvider
from tenants.logins import login_limit
from tenants.models import SignInProvider
from tenants.selectors.people import belongs_here
from tenants.sign_in.coming_back import page_asked

View = Callable[..., HttpResponseBase]


def signed_in_here(view: View) -> View:
    """For an account that counts in this tenant; anybody else is asked to sign in."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated or not belongs_here(request.user):
            return redirect_to_login(page_asked(request, otherwise=reverse("account")))
        return view(request, *args, **kwargs)

    return guarded


def whole_login(view: View) -> View:
    """For changes to the account itself: not for a login through a tenant's provider, which speaks for that tenant only."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if provider := provider_name(request):
            raise SignInThroughProvider(provider=provider)
        return view(request, *args, **kwargs)

    return signed_in_here(guarded)


def provider_name(request: HttpRequest) -> str:
    """The provider that the login came through; empty for a password."""
    limit = login_limit(request.session)
    if limit is None:
        return ""
    found = SignInProvider.objects.filter(pk=limit.provider_id).values_list("name", flat=True).first()
    return found or "single sign-on"


def public_url(request: HttpRequest, path: str) -> str:
    """The address of a page as people outside reach it: for links in letters."""
    return f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else request.build_absolute_uri(path)
