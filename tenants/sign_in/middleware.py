"""Whose request it is: a login counts only where it may, and a second factor comes before anything else."""

from __future__ import annotations

from functools import partial
from typing import Any

from allauth.usersessions.models import UserSession
from asgiref.sync import sync_to_async
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject

from tenants.errors import TwoFactorRequired
from tenants.logins import login_counts_here
from tenants.selectors.members import check_two_factor

SEEN_KEY, SEEN_EVERY = "antecedent_seen_at", 300
OPEN_TO_ALL = ("/account/", "/login/", "/logout/", "/invitation/")


class LoginsThatCountHere(MiddlewareMixin):
    """`request.user` is nobody for a login that counts in another tenant only. Asked for when it is needed."""

    def process_request(self, request: HttpRequest) -> None:
        request.user = SimpleLazyObject(partial(_user_here, request))  # type: ignore[assignment]
        request.auser = partial(_auser_here, request)


class TwoFactorWhereAsked(MiddlewareMixin):
    """Members of a tenant that asks for a second factor set one up before they do anything else there."""

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponse | None:
        tenant = getattr(request, "tenant", None)
        if tenant is None or not tenant.two_factor_required or request.path_info.startswith(OPEN_TO_ALL):
            return None
        try:
            check_two_factor(tenant, request.user, request.session)
        except TwoFactorRequired as refusal:
            if "text/html" in request.headers.get("Accept", ""):
                return redirect("mfa_activate_totp")
            return JsonResponse({"error": refusal.as_dict()}, status=refusal.http_status)
        return None


def _user_here(request: HttpRequest) -> Any:
    if not hasattr(request, "_user_here"):
        user = get_user(request)
        if user.is_authenticated and not login_counts_here(request.session):
            user = AnonymousUser()
        request._user_here = user  # type: ignore[attr-defined]
        if user.is_authenticated:
            _seen(request)
    return request._user_here  # type: ignore[attr-defined]


async def _auser_here(request: HttpRequest) -> Any:
    return await sync_to_async(_user_here)(request)


def _seen(request: HttpRequest) -> None:
    """Write down that the login is in use, every five minutes at most."""
    at = timezone.now().timestamp()
    if at - request.session.get(SEEN_KEY, 0) > SEEN_EVERY:
        request.session[SEEN_KEY] = at
        rows = UserSession.objects.filter(session_key=request.session.session_key)
        rows.update(last_seen_at=timezone.now())
