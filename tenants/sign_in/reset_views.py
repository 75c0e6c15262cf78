"""Asking for a link to set a new password. Whether an address has an account, nobody learns here."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tenants.errors import TooManyAttempts
from tenants.mail_tasks import password_reset_mail
from tenants.scoping import current_tenant_id
from tenants.services.attempts import attempt, mail_counters
from tenants.services.mail import KEY, UID
from tenants.sign_in.forms import ResetForm
from tenants.sign_in.guards import public_url


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def password_reset(request: HttpRequest) -> HttpResponse:
    form = ResetForm(request.POST or None, initial={"email": request.GET.get("email", "")[:254]})
    context = {"tenant": request.tenant, "form": form}  # type: ignore[attr-defined]
    if request.method != "POST" or not form.is_valid():
        return render(request, "tenants/password_reset.html", context)
    email = form.cleaned_data["email"]
    try:
        attempt(mail_counters(email=email, address=get_adapter().get_client_ip(request)))
    except TooManyAttempts as error:
        form.add_error(None, error.message)
        return render(request, "tenants/password_reset.html", context, status=error.http_status)
    # The same work for every address: the background finds out whether there is anybody to write to.
    password_reset_mail.delay_on_commit(str(current_tenant_id()), email, _link_pattern(request))
    return render(request, "tenants/password_reset_sent.html", {**context, "email": email})


def _link_pattern(request: HttpRequest) -> str:
    path = reverse("account_reset_password_from_key", kwargs={"uidb36": UID, "key": KEY})
    return public_url(request, path)
