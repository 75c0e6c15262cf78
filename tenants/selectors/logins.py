"""Reading where somebody is signed in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from allauth.usersessions.models import UserSession

from tenants.models import User

_BROWSERS = (
    ("Edg/", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"),
)  # fmt: skip
_SYSTEMS = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
    ("Mac OS X", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Login:
    """One browser in which somebody is signed in."""

    id: int
    device: str
    address: str
    signed_in_at: datetime
    seen_at: datetime
    current: bool
    provider: str


def logins_of(user: User, *, session_key: str | None) -> Sequence[Login]:
    """The user's sign-ins that still hold: this browser's first, then the one seen last."""
    rows = UserSession.objects.purge_and_list(user)
    logins = [_login(row, session_key) for row in rows]
    return sorted(logins, key=lambda login: (not login.current, -login.seen_at.timestamp()))


def device_of(user_agent: str) -> str:
    """`Firefox on Windows`, as far as a browser says what it is."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or system or re.split(r"[/ ]", user_agent, maxsplit=1)[0][:40] or "Unknown browser"


def _login(row: UserSession, session_key: str | None) -> Login:
    return Login(
        id=row.pk,
        device=device_of(row.user_agent),
        address=row.ip,
        signed_in_at=row.created_at,
        seen_at=row.last_seen_at,
        current=row.session_key == session_key,
        provider=(row.data or {}).get("provider_name", ""),
    )
