"""What allauth asks of the product while somebody signs in or out, or changes a password."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.core import context
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from tenants.logins import LIMIT_KEY, LoginLimit, logins_ended
from tenants.mail_tasks import notice_mail
from tenants.models import SignInProvider, User
from tenants.scoping import current_scope, current_tenant_id
from tenants.selectors.logins import device_of
from tenants.selectors.providers import access_provider
from tenants.services.logins import login_limited, logins_end

RECENT = 10 * 60
NOTICE_OF = {
    "account/email/password_changed": "password_changed",
    "account/email/password_reset": "password_changed",
    "account/email/password_set": "password_changed",
    "mfa/email/totp_activated": "two_factor_on",
    "mfa/email/totp_deactivated": "two_factor_off",
    "mfa/email/recovery_codes_generated": "recovery_codes",
    "socialaccount/email/account_connected": "provider_linked",
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """allauth's account flows, inside one tenant's prefix."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """People join by invitation, or through a tenant's provider."""
        return False

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        return reverse("chat")

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        return redirect("login")

    def post_login(
        self, request: HttpRequest, user: User, *, signal_kwargs: dict[str, Any] | None, **kwargs: Any
    ) -> HttpResponse:
        """A login through a tenant's provider is limited to the tenant before anything else can happen with it."""
        provider = _provider_behind(signal_kwargs)
        if provider is None:
            request.session.pop(LIMIT_KEY, None)
            answer: HttpResponse = super().post_login(request, user, signal_kwargs=signal_kwargs, **kwargs)
            return answer
        limit = LoginLimit(current_tenant_id(), provider.pk)
        request.session[LIMIT_KEY] = limit.as_dict()
        response: HttpResponse = super().post_login(request, user, signal_kwargs=signal_kwargs, **kwargs)
        login_limited(session_key=request.session.session_key or "", limit=limit, provider_name=provider.name)
        return response

    def logout(self, request: HttpRequest) -> None:
        session_key = request.session.session_key
        super().logout(request)
        if session_key:
            logins_ended(session_key)

    def set_password(self, user: User, password: str) -> None:
        """Every other login ends with the old password. This one stays where the person changes it themselves."""
        super().set_password(user, password)
        request = context.request
        mine = request.user.is_authenticated and request.user.pk == user.pk
        logins_end(user_id=user.pk, keep=request.session.session_key if mine else None)

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Not right after signing in with the password: who has just typed it need not type it again."""
        records = get_authentication_records(context.request, context.request.user)
        typed = [record["at"] for record in records if record.get("method") in ("password", "mfa")]
        return not typed or timezone.now().timestamp() - max(typed) > RECENT

    def add_message(self, request: HttpRequest, level: int, *args: Any, **kwargs: Any) -> None:
        """The pages themselves say what happened; being signed in needs no message."""

    def send_notification_mail(self, template_prefix: str, user: User, *args: Any, **kwargs: Any) -> None:
        """What changed an account's security is told by mail."""
        notice, tenant_id = NOTICE_OF.get(template_prefix), current_scope().tenant_id
        if notice is None or tenant_id is None:
            return
        request = context.request
        device = device_of(request.headers.get("User-Agent", ""))
        notice_mail.delay_on_commit(str(tenant_id), user.pk, notice, device, self.get_client_ip(request))


def _provider_behind(signal_kwargs: dict[str, Any] | None) -> SignInProvider | None:
    sociallogin = (signal_kwargs or {}).get("sociallogin")
    return access_provider(sociallogin.account.provider) if sociallogin is not None else None
