"""Signing in as staff: email, password, and the second factor where the account has one."""

from __future__ import annotations

from typing import Any

from allauth.account.internal.stagekit import unstash_login
from allauth.mfa.base import views as mfa
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from admin_ui.staff.access import is_staff, outside_tenants, staff_of
from admin_ui.staff.sites import staff_console
from tenants.logins import logins_ended
from tenants.selectors.members import has_two_factor
from tenants.sign_in.forms import SignInForm
from tenants.sign_in.starting import password_login


class StaffSignInForm(SignInForm):
    """Email and password of a member of staff. Any other account is refused as a wrong password is."""

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": "Email and password do not fit together, or the account is not of the platform's staff.",
    }

    def confirm_login_allowed(self, user: Any) -> None:
        AuthenticationForm.confirm_login_allowed(self, user)
        if not is_staff(user):
            raise self.get_invalid_login_error()


class StaffSignIn(LoginView):
    form_class = StaffSignInForm
    template_name = "admin_ui/staff/login.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        outside_tenants(request)
        if request.user.is_authenticated:
            staff_of(request)
            return redirect("staff")
        return super().dispatch(request, *args, **kwargs)

    def get_default_redirect_url(self) -> str:
        return reverse("staff")

    def form_valid(self, form: Any) -> HttpResponse:
        """Signed in at once, or asked for the second factor first."""
        wanted = self.get_redirect_url() or self.get_default_redirect_url()
        return password_login(self.request, form.get_user(), next_url=wanted)


class StaffSignOut(LogoutView):
    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        session_key = request.session.session_key
        response = super().post(request, *args, **kwargs)
        if session_key:
            logins_ended(session_key)
        return response

    def get_default_redirect_url(self) -> str:
        return reverse("login")


def code(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
    """The second factor, for staff who have just given their password."""
    outside_tenants(request)
    login = unstash_login(request, peek=True)
    if request.user.is_authenticated or (login is not None and not is_staff(login.user)):
        raise Http404
    answer: HttpResponseBase = mfa.authenticate(request, *args, **kwargs)
    return answer


@require_GET
@never_cache
def account(request: HttpRequest) -> HttpResponse:
    """The second factor and the password of whoever is signed in."""
    user = staff_of(request)
    context = staff_console.page_context(request, "Your account", two_factor=has_two_factor(user.pk))
    return render(request, "admin_ui/staff/account.html", context)
