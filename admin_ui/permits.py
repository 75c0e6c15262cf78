"""The role table at the doors of the console (`tenants.roles`)."""

from __future__ import annotations

from django.http import HttpRequest

from admin_ui.access import member_of
from kernel.errors import Forbidden
from tenants.models import User
from tenants.roles import May, role_may


def may(request: HttpRequest, what: May) -> bool:
    """Whether the asking member's role may do it."""
    member = member_of(request)
    return member is not None and role_may(member.role, what)


def access_permitted(request: HttpRequest, what: May) -> User:
    """The asking person, when their role may do it. Raises `Forbidden`."""
    if not may(request, what):
        raise Forbidden
    return request.user  # type: ignore[return-value]
