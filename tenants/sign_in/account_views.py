"""The account page: who somebody is, their password, their second factor, and where they are signed in."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from tenants.models import User
from tenants.selectors.logins import logins_of
from tenants.selectors.members import has_two_factor, two_factor_is_asked_of
from tenants.selectors.people import membership_of
from tenants.services.logins import login_end, logins_end
from tenants.sign_in.guards import provider_name, signed_in_here, whole_login


@require_GET
@never_cache
@signed_in_here
def account(request: HttpRequest) -> HttpResponse:
    user, through = _user(request), provider_name(request)
    key = request.session.session_key
    context = {
        "tenant": request.tenant,  # type: ignore[attr-defined]
        "member": membership_of(user),
        "through": through,
        "two_factor": has_two_factor(user.pk),
        "two_factor_asked": two_factor_is_asked_of(user.pk),
        # A login through a tenant's provider learns nothing about the account's other logins.
        "logins": [login for login in logins_of(user, session_key=key) if login.current or not through],
    }
    return render(request, "tenants/account.html", context)


@require_POST
@signed_in_here
def name_set(request: HttpRequest) -> HttpResponse:
    user = _user(request)
    user.name = " ".join(request.POST.get("name", "").replace("\0", "").split())[:120]
    user.save(update_fields=["name"])
    messages.success(request, "Your name is saved.")
    return redirect("account")


@require_POST
@whole_login
def sign_in_end(request: HttpRequest, login_id: int) -> HttpResponse:
    login_end(user_id=_user(request).pk, login_id=login_id)
    messages.success(request, "That browser is signed out.")
    return redirect("account")


@require_POST
@whole_login
def sign_ins_end(request: HttpRequest) -> HttpResponse:
    ended = logins_end(user_id=_user(request).pk, keep=request.session.session_key)
    told = {0: "You are signed in nowhere else.", 1: "One other browser is signed out."}
    messages.success(request, told.get(ended, f"{ended} other browsers are signed out."))
    return redirect("account")


def _user(request: HttpRequest) -> User:
    return request.user  # type: ignore[return-value]
