"""Who may open the staff console: platform staff, and nobody else learns that it is there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from tenants.models import User
from tenants.sign_in.coming_back import page_asked

View = Callable[..., Any]


def is_staff(user: Any) -> bool:
    return isinstance(user, User) and user.is_active and user.is_staff


def staff_of(request: HttpRequest) -> User:
    """The signed-in member of staff. Raises `Http404` for anybody else."""
    if not is_staff(request.user):
        raise Http404
    return request.user  # type: ignore[return-value]


def outside_tenants(request: HttpRequest) -> None:
    """The pages of signing in and of the account ask for whose workspace they are: for nobody's, here."""
    request.tenant = None  # type: ignore[attr-defined]


def staff_only(view: View) -> View:
    """For staff. Who is not signed in is asked to; any other account finds nothing here."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(
                page_asked(request, otherwise=reverse("staff")), login_url=reverse("login")
            )
        staff_of(request)
        outside_tenants(request)
        answer: HttpResponse = view(request, *args, **kwargs)
        return answer

    return guarded
