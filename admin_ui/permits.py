"""The role table at the doors of the console (`tenants.roles`)."""

from __future__ import annotations

from django.http import HttpRequest

from admin_ui.access import may as may
from kernel.errors import Forbidden
from tenants.models import User
from tenants.roles import May


def access_permitted(request: HttpRequest, what: May) -> User:
    """The asking person, when their role may do it. Raises `Forbidden`."""
    if not may(request, what):
        raise Forbidden
    return request.user  # type: ignore[return-value]
