"""A login is a browser's signed-in session. What hangs on it must end when it ends.

A socket outlives the page view that opened it: it joins its login's group, hears when the person signs out,
and asks before each command whether the login is still the one it was.

A login through a workspace's own sign-in provider counts in that workspace only: whoever runs the provider says who
somebody is there, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.utils.crypto import constant_time_compare

from tenants.models import User
from tenants.scoping import current_scope

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


def login_group(session_key: str) -> str:
    """The channel group of a login. The key itself stays secret."""
    return f"login.{sha256(session_key.encode()).hexdigest()[:32]}"


def login_is_current(session_key: str, user_id: int) -> bool:
    """Whether this login still belongs to this user here: not signed out, not expired, same password, not locked."""
    session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    if session.get(SESSION_KEY) != str(user_id) or not login_counts_here(session):
        return False
    user = User.objects.filter(pk=user_id, is_active=True).first()
    stored = session.get(HASH_SESSION_KEY, "")
    return user is not None and constant_time_compare(stored, user.get_session_auth_hash())


def login_ended(session_key: str) -> None:
    """Tell the sockets of a login that it is over."""
    async_to_sync(_tell)(session_key)


async def _tell(session_key: str) -> None:
    await get_channel_layer().group_send(login_group(session_key), {"type": "login.ended"})
