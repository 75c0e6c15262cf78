"""The doors of identity: landing, sign in, sign out."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from tenants.devices import DEVICE_COOKIE
from tenants.logins import logins_ended
from tenants.models import Tenant
from tenants.selectors import workspaces_of
from tenants.selectors.providers import providers_enabled
from tenants.sign_in.forms import SignInForm
from tenants.sign_in.starting import password_login


def landing(request: HttpRequest) -> HttpResponse:
    """What this is, and the workspaces of whoever is signed in."""
    workspaces = workspaces_of(request.user) if request.user.is_authenticated else []
    return render(request, "tenants/landing.html", {"workspaces": workspaces})


def go(request: HttpRequest) -> HttpResponse:
    """From a workspace's short name to its sign-in page."""
    slug = request.GET.get("workspace", "").strip().lower()
    if Tenant.objects.filter(slug=slug, suspended_at=None).exists():
        return redirect(f"/t/{slug}/login/")
    context = {"workspaces": [], "unknown": slug[:40]}
    return render(request, "tenants/landing.html", context, status=404)


def home(request: HttpRequest) -> HttpResponse:
    return redirect("chat")


class SignIn(LoginView):
    """Sign in to one tenant's pages. The account is the person's; what it may do here is its membership's."""

    form_class = SignInForm
    template_name = "tenants/login.html"

    def get_default_redirect_url(self) -> str:
        return reverse("chat")

    def form_valid(self, form: Any) -> HttpResponse:
        """Signed in at once, or asked for the second factor first."""
        return password_login(self.request, form.get_user(), next_url=self.get_redirect_url())

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        tenant = self.request.tenant  # type: ignore[attr-defined]
        anonymous = reverse("chat") if tenant.anonymous_chat else None
        more = {"tenant": tenant, "continue_anonymously_url": anonymous, "providers": providers_enabled()}
        return super().get_context_data(**more, **kwargs)


class SignOut(LogoutView):
    """Sign out, and let the next person at this browser start as somebody else."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        session_key = request.session.session_key
        response = super().post(request, *args, **kwargs)
        if session_key:
            logins_ended(session_key)
        response.delete_cookie(DEVICE_COOKIE, path=f"{request.META['SCRIPT_NAME']}/")
        return response

    def get_default_redirect_url(self) -> str:
        return reverse("login")
