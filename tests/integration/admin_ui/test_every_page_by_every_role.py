"""Every page and every action of the console by every role: who may, who is told that they may not, and the rival."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.urls import URLPattern

from admin_ui.urls import urlpatterns
from tenants.models import AuditEntry

pytestmark = pytest.mark.django_db

ROLES = ("owner", "admin", "editor", "analyst")
ALL = frozenset(ROLES)
EDITORS = ALL - {"analyst"}
ADMINS = EDITORS - {"editor"}
OWNERS = frozenset({"owner"})
# Of the platform and of Unfold, for whoever is a member.
SHELL = {"console", "index", "search", "password_change", "password_change_done", "jsi18n", "logout", "login"}

MAY: dict[str, frozenset[str]] = {}

WORDS = {
    "kind": "policy",
    "name": "scope",
    "number": "7",
    "what": "documents",
    "state": "failed",
    "slug": "x",
}


def addresses() -> dict[str, str]:
    """Every address of the console by its name, filled with ids that nothing has."""
    found = {}
    for pattern in urlpatterns:
        if isinstance(pattern, URLPattern) and pattern.name and pattern.name.startswith("console-"):
            filled = re.sub(r"<(?:(\w+):)?(\w+)>", _filling, str(pattern.pattern))
            found[pattern.name] = filled
    return found


def _filling(part: re.Match[str]) -> str:
    kind, name = part[1], part[2]
    return str(uuid4()) if kind == "uuid" else "7" if kind == "int" else WORDS.get(name, "x")


def asked(console, path: str):
    """By GET, or by POST where an address is an action only."""
    answer = console.get(path)
    return console.post(path) if answer.status_code == 405 else answer


def test_print(tenant, browser):
    for name, path in addresses().items():
        row = []
        for role in ROLES:
            row.append(str(asked(browser(tenant, role), path).status_code))
        print(name, path, *row)
    assert 0
