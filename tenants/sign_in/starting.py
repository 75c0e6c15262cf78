"""The step from a right password to being signed in, with the second factor between where there is one."""

from __future__ import annotations

from allauth.account.internal.flows.login import perform_password_login
from allauth.account.models import Login
from django.http import HttpRequest, HttpResponse

from tenants.models import User


def password_login(request: HttpRequest, user: User, *, next_url: str = "") -> HttpResponse:
    """The redirect to where the person was going, or to the page that asks for a code."""
    login = Login(user=user, redirect_url=next_url or None)
    answer: HttpResponse = perform_password_login(request, {"email": user.email}, login)
    return answer
