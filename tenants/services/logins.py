"""Ending sign-ins: the session goes, and the sockets that hang on it close."""

from __future__ import annotations

from collections.abc import Iterable

from allauth.usersessions.models import UserSession

from kernel.errors import NotFound
from tenants.logins import LoginLimit, logins_ended
from tenants.scoping import current_tenant_id


def login_end(*, user_id: int, login_id: int) -> None:
    """End one sign-in of the user. Raises `NotFound` for anybody else's."""
    rows = list(UserSession.objects.filter(user_id=user_id, pk=login_id))
    if not rows:
        raise NotFound(what="sign-in")
    _end(rows)


def logins_end(*, user_id: int, keep: str | None = None) -> int:
    """End all sign-ins of the user but the session `keep`. Returns how many."""
    return _end(UserSession.objects.filter(user_id=user_id).exclude(session_key=keep or ""))


def logins_end_in_tenant(*, user_id: int) -> None:
    """End the sign-ins that count in the current tenant only."""
    _end(UserSession.objects.filter(user_id=user_id, data__tenant=str(current_tenant_id())))


def logins_end_of_provider(*, provider_id: object) -> int:
    """End the sign-ins that came through a provider."""
    return _end(UserSession.objects.filter(data__provider=str(provider_id)))


def login_limited(*, session_key: str, limit: LoginLimit, provider_name: str) -> None:
    """Write down where a sign-in counts, for the list and for ending it."""
    UserSession.objects.filter(session_key=session_key).update(
        data={**limit.as_dict(), "provider_name": provider_name}
    )


def _end(rows: Iterable[UserSession]) -> int:
    keys = []
    for row in rows:
        row.end()
        keys.append(row.session_key)
    logins_ended(*keys)
    return len(keys)
