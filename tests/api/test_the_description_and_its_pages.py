"""Where the REST API tells of itself: open to everybody, from our own origin alone."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.django_db


def test_the_description_is_open_to_everybody_and_tells_of_no_tenant(client, tenant):
    answer = client.get("/api/v1/openapi.json")
    assert answer.status_code == 200 and answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.json()["openapi"].startswith("3.") and tenant.slug not in str(answer.json()["servers"])


@pytest.mark.parametrize("prefix", ["", "/t/acme"])
def test_its_pages_ask_nobody_else(client, tenant, prefix):
    page = client.get("/api/v1/docs", SCRIPT_NAME=prefix) if prefix else client.get("/api/v1/docs")
    sources = re.findall(r'(?:src|href)="([^"]+)"', page.content.decode())
    assert len(sources) >= 4 and all(
        source.startswith("/") and not source.startswith("//") for source in sources
    )
    assert not re.search(r"<script>|<script [^>]*>[^<]", page.content.decode())
    policy = page.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy and "unsafe-eval" not in policy and "default-src 'none'" in policy


def test_no_other_page_has_the_pages_weaker_policy(client):
    assert "unsafe-inline" not in client.get("/").headers["Content-Security-Policy"]
