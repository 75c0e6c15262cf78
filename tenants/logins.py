"""A login is a browser's signed-in session. What hangs on it must end when it ends.

A socket outlives the page view that opened it: it hears when the person signs out (`standing`), and asks before each
command whether the login is still the one it was.

A login through a workspace's own sign-in provider counts in that workspace only: whoever runs the provider says who
somebody is there, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.utils.crypto import constant_time_compare

from tenants.models import User
from tenants.scoping import current_scope
from tenants.standing import Ground, standing_changed

LIMIT_KEY = "antecedent_login_limit"


@dataclass(frozen=True, slots=True)
class LoginLimit:
    """The one tenant in which a login counts, and the provider that it came through."""

    tenant_id: UUID
    provider_id: UUID

    def as_dict(self) -> dict[str, str]:
        return {"tenant": str(self.tenant_id), "provider": str(self.provider_id)}


def login_limit(session: Mapping[str, Any] | Any) -> LoginLimit | None:
    """Where the login counts; None for everywhere."""
    stored = session.get(LIMIT_KEY)
    return LoginLimit(UUID(stored["tenant"]), UUID(stored["provider"])) if stored else None


def login_counts_here(session: Mapping[str, Any] | Any) -> bool:
    """Whether the login counts in the current scope: a limited one in its own tenant only, not even outside any."""
    limit = login_limit(session)
    return limit is None or limit.tenant_id == current_scope().tenant_id


def session_of(session_key: str) -> Any:
    """What a login's session holds, empty when it has ended or expired."""
    return import_module(settings.SESSION_ENGINE).SessionStore(session_key)


def login_is_current(session: Mapping[str, Any] | Any, user: User) -> bool:
    """Whether a session is this account's login here: not signed out, not expired, same password, not locked.

    `user` is freshly read.
    """
    if session.get(SESSION_KEY) != str(user.pk) or not login_counts_here(session):
        return False
    stored = session.get(HASH_SESSION_KEY, "")
    return user.is_active and constant_time_compare(stored, user.get_session_auth_hash())


def logins_ended(*session_keys: str) -> None:
    """Tell the sockets and streams of logins that they are over."""
    standing_changed(Ground.LOGIN, *session_keys)
