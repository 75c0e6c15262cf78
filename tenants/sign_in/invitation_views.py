"""Following the link of an invitation: with a new account, with one there is, or signed in already."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from kernel.errors import DomainError
from tenants.models import Invitation, User
from tenants.selectors.invitations import access_invitation
from tenants.selectors.people import membership_of
from tenants.services.invitations import account_create, invitation_accept
from tenants.sign_in.forms import JoinForm, KnownForm
from tenants.sign_in.starting import password_login


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_post_parameters("password")
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    try:
        invited = access_invitation(token)
    except DomainError as error:
        return _page(request, "refused", error=error, status=error.http_status)
    if request.user.is_authenticated:
        return _signed_in(request, invited, token)
    account = User.objects.filter(email=invited.email).first()
    return _new(request, invited, token) if account is None else _known(request, invited, token, account)


def _signed_in(request: HttpRequest, invited: Invitation, token: str) -> HttpResponse:
    user: User = request.user  # type: ignore[assignment]
    if user.email != invited.email:
        return _page(request, "another", invited=invited, status=403)
    if request.method != "POST":
        return _page(request, "join", invited=invited)
    return _accepted(request, token, user)


def _new(request: HttpRequest, invited: Invitation, token: str) -> HttpResponse:
    form = JoinForm(request.POST or None, email=invited.email)
    if request.method != "POST" or not form.is_valid():
        return _page(request, "new", invited=invited, form=form)
    try:
        user = account_create(
            token=token, name=form.cleaned_data["name"], password=form.cleaned_data["password"]
        )
    except DomainError as error:
        return _page(request, "refused", error=error, status=error.http_status)
    return password_login(request, user)


def _known(request: HttpRequest, invited: Invitation, token: str, account: User) -> HttpResponse:
    form = KnownForm(request.POST or None, email=invited.email, request=request)
    passwordless = not account.has_usable_password()
    if request.method != "POST" or not form.is_valid() or form.user is None:
        return _page(request, "known", invited=invited, form=form, passwordless=passwordless)
    answer = _accepted(request, token, form.user)
    return answer if answer.status_code >= 400 else password_login(request, form.user)


def _accepted(request: HttpRequest, token: str, user: User) -> HttpResponse:
    try:
        with transaction.atomic():
            invitation_accept(token=token, user=user)
    except DomainError as error:
        return _page(request, "refused", error=error, status=error.http_status)
    return redirect("console" if membership_of(user) else "chat")


def _page(request: HttpRequest, case: str, *, status: int = 200, **context: object) -> HttpResponse:
    context = {"tenant": request.tenant, "case": case, **context}  # type: ignore[attr-defined]
    response = render(request, "tenants/invitation.html", context, status=status)
    # The address holds the token: it goes nowhere with a click.
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
