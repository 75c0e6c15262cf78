"""Every address of the platform answers with the headers that keep a browser from being used against people."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings as configured
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tenants.models import User
from tests.api.conftest import PASSWORD

ROOT = Path(__file__).parents[2]
SAMPLES = {"uuid": str(UUID(int=7)), "int": "1", "slug": "acme", "str": "name", "path": "some/path"}
_PLACE = re.compile(r"<(?:(\w+):)?\w+>")
_GROUP = re.compile(r"\(\?P<\w+>[^()]*(?:\([^()]*\)[^()]*)*\)")


def addresses(urlconf: str) -> list[str]:
    """One address for every pattern, with a plausible value in every place."""
    found = {f"/{part}" for part in _walk(get_resolver(urlconf).url_patterns, "")}
    return sorted(address for address in found if not re.search(r"[\\^$?*+|<>]", address))


def _walk(patterns: list[Any], before: str) -> Iterator[str]:
    for pattern in patterns:
        here = before + _PLACE.sub(lambda m: SAMPLES.get(m[1] or "str", "1"), _plain(str(pattern.pattern)))
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, here)
        elif isinstance(pattern, URLPattern):
            yield here


def _plain(route: str) -> str:
    return _GROUP.sub("name", route).lstrip("^").removesuffix("\\Z").removesuffix("$").replace("\\.", ".")


def faults(response: Any) -> list[str]:
    """What a response lacks."""
    headers, found = response.headers, []
    policy = headers.get("Content-Security-Policy", "")
    rules = dict(part.strip().partition(" ")[::2] for part in policy.split(";") if part.strip())
    for rule in ("default-src", "frame-ancestors", "base-uri"):
        if rule not in rules:
            found.append(f"no {rule}")
    script = rules.get("script-src", rules.get("default-src", "*"))
    if "*" in script.split() or "'unsafe-inline'" in script or "http:" in script:
        found.append(f"script-src {script}")
    if headers.get("X-Content-Type-Options") != "nosniff":
        found.append("no nosniff")
    if headers.get("Referrer-Policy") not in ("same-origin", "no-referrer"):
        found.append("referrer")
    if headers.get("Cross-Origin-Opener-Policy") != "same-origin":
        found.append("no COOP")
    shut = {part.strip() for part in headers.get("Permissions-Policy", "").split(",")}
    if not {"camera=()", "payment=()", "usb=()", "display-capture=()"} <= shut:
        found.append("no Permissions-Policy")
    if headers.get("Access-Control-Allow-Origin") == "*" and response.cookies:
        found.append("cookies for every origin")
    for cookie in response.cookies.values():
        if cookie["samesite"] not in ("Lax", "Strict") or (
            cookie.key != configured.CSRF_COOKIE_NAME and cookie.value and not cookie["httponly"]
        ):
            found.append(f"cookie {cookie.key}")
    return found


def audit(client: Client, paths: list[str], **more: Any) -> dict[str, list[str]]:
    client.raise_request_exception = False
    return {path: wrong for path in paths if (wrong := faults(client.get(path, **more)))}


@pytest.mark.django_db
def test_every_address_outside_workspaces(db):
    paths = addresses(configured.ROOT_URLCONF)
    assert len(paths) > 30
    assert audit(Client(), paths) == {}
    User.objects.create_superuser("root@platform.test", PASSWORD)
    staff = Client()
    staff.login(email="root@platform.test", password=PASSWORD)
    assert audit(staff, [p for p in paths if p.startswith("/staff/") and "logout" not in p]) == {}


@pytest.mark.django_db
def test_every_address_of_a_workspace(tenant, browser, person):
    paths = addresses(configured.TENANT_URLCONF)
    assert len(paths) > 100
    assert audit(browser(tenant), paths) == {}
    owner = browser(tenant)
    owner.force_login(
        person(tenant, "owner@acme.test", "owner"), backend="django.contrib.auth.backends.ModelBackend"
    )
    assert audit(owner, [p for p in paths if "logout" not in p]) == {}


@pytest.mark.django_db
def test_answers_that_no_view_gave_have_them_too(tenant, browser):
    for path in ("/nowhere/", "/t/nobody/", "/static/widget/loader.js", "/static/none.js", "/api/v1/nothing"):
        assert faults(Client(raise_request_exception=False).get(path)) == [], path
    assert faults(browser(tenant).get("/widget/loader.js")) == []


@pytest.mark.django_db
def test_tls_is_insisted_on_where_it_is_spoken(settings):
    settings.SECURE_HSTS_SECONDS = _hsts_seconds(SECURE_COOKIES="1")
    assert settings.SECURE_HSTS_SECONDS >= 31_536_000 and _hsts_seconds(SECURE_COOKIES="0") == 0
    assert "Strict-Transport-Security" in Client().get("/healthz", secure=True).headers
    assert "Strict-Transport-Security" not in Client().get("/healthz").headers


def _hsts_seconds(**variables: str) -> int:
    """What the settings make of an environment; they read it once, when they are loaded."""
    script = "from config import settings; print(settings.SECURE_HSTS_SECONDS)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(["platform", "."]), **variables}
    environment.pop("HSTS_SECONDS", None)
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return int(found.stdout)
