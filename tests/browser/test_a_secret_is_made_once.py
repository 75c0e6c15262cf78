"""A page that shows a new secret can be loaded again without making another one. Pages are played by the test."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

SCRIPT = (Path(__file__).parents[2] / "admin_ui/static/admin_ui/keys.js").read_text()
SITE = "http://console.test"
LIST = f"<!doctype html><h1>Keys</h1><form method=post action={SITE}/keys/new><button>Make the key</button></form>"
SHOWN = f"""<!doctype html><script>{SCRIPT}</script>
<section class="shown"><code id="shown-secret">ante_1</code><a href="{SITE}/keys/">I have stored it</a></section>"""
pytestmark = pytest.mark.browser


def test_loading_it_again_shows_the_list(page: Page):
    made: list[str] = []

    def answer(route: Route) -> None:
        if route.request.method == "POST":
            made.append(route.request.url)
        body = SHOWN if route.request.method == "POST" else LIST
        route.fulfill(status=200, content_type="text/html", body=body)

    page.route(f"{SITE}/**", answer)
    page.goto(f"{SITE}/keys/")
    page.get_by_role("button", name="Make the key").click()
    expect(page.locator("#shown-secret")).to_have_text("ante_1")
    expect(page).to_have_url(f"{SITE}/keys/")
    page.reload()
    expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    assert len(made) == 1
