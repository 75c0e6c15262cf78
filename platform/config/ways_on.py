"""Where a page that says what went wrong leads on to: never a dead end."""

from __future__ import annotations

from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse

from kernel.errors import DomainError
from tenants.sign_in.coming_back import page_of_form

OUTSIDE = frozenset({"not_a_member"})


class Way(NamedTuple):
    title: str
    address: str


def ways_on(request: HttpRequest, error: DomainError) -> tuple[Way, ...]:
    """The likeliest first: back to the form that was sent, then to where the address belongs, then to where all may go."""
    return (*_back(request), *_home(request, error))


def _back(request: HttpRequest) -> tuple[Way, ...]:
    sent_from = "" if request.method in ("GET", "HEAD") else page_of_form(request)
    return (Way("Back to the page", sent_from),) if sent_from else ()


def _home(request: HttpRequest, error: DomainError) -> tuple[Way, ...]:
    user = getattr(request, "user", None)
    if getattr(request, "tenant", None) is None:
        if request.path_info.startswith("/staff") and getattr(user, "is_staff", False):
            return (Way("To the staff console", reverse("staff")),)
        return (Way("To the start", "/"),)
    chat = Way("To the chat", reverse("chat"))
    inside = request.path_info.startswith("/console") and getattr(user, "is_authenticated", False)
    if inside and error.code not in OUTSIDE:
        return (Way("To the console", reverse("console")), chat)
    return (chat,)
