"""A widget on a customer's page, as a test drives it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
from playwright.sync_api import Frame, Page, expect

from tests.browser.host_site import HostSite

ROOT = Path(__file__).parents[2]
LONG = 30_000
_MAKE = """
import json, sys
from tenants.models import Tenant
from tenants.scoping import tenant_scope
from tenants.services.widget_keys import widget_key_create, widget_key_revoke
with tenant_scope(Tenant.objects.get(slug="nimbus").pk):
    made = {}
    for name, options in json.loads(sys.stdin.read()).items():
        is_revoked = options.pop("revoked", False)
        key = widget_key_create(name=name, **options)
        made[name] = key.public_key
        if is_revoked:
            widget_key_revoke(key_id=key.pk)
print("made:" + json.dumps(made))
"""


def widget_keys(state: Path, wanted: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Widgets of the demonstration's cloud company, by name."""
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", _MAKE],
        cwd=ROOT,
        env={**os.environ, "ANTECEDENT_STATE": str(state)},
        input=json.dumps(wanted),
        capture_output=True,
        text=True,
        check=True,
    )
    made: dict[str, str] = json.loads(done.stdout.split("made:")[1])
    return made


def identity(state: Path, person: str) -> str:
    """Signed as the company's own server does."""
    known = json.loads((state / "demo-site.json").read_text())["nimbus"]
    moment = int(time.time())
    claims = {"sub": person, "aud": "nimbus", "iat": moment, "exp": moment + 300, "name": person.title()}
    return jwt.encode(claims, known["secret"], algorithm="HS256", headers={"kid": known["kid"]})


@dataclass
class Widgets:
    """What the tests share: the site and another one, the platform's address, and the keys by name."""

    site: HostSite
    other: HostSite
    platform: str
    state: Path
    keys: dict[str, str]

    def tag(self, key: str = "library", *, platform: str = "", **data: str) -> str:
        attributes = "".join(f' data-{name}="{value}"' for name, value in data.items())
        source = f"{platform or self.platform}t/nimbus/widget.js"
        return f'<script src="{source}" data-key="{self.keys.get(key, key)}"{attributes} async></script>'

    def visit(self, page: Page, key: str = "library", *, path: str = "/", **options: Any) -> None:
        """Open a page of the site and wait until the widget is ready on it."""
        data = options.pop("data", {})
        page.goto(self.site.page(path, body=self.tag(key, **data), **options))
        ready(page)

    def identity(self, person: str) -> str:
        return identity(self.state, person)


def ready(page: Page | Frame) -> None:
    page.wait_for_function("window.Antecedent?.version === 1", timeout=LONG)
    page.evaluate("new Promise((done) => Antecedent.on('ready', done))")


def frame(page: Page) -> Frame:
    """The chat inside; the shadow root around it is closed to scripts."""
    for _ in range(300):
        for found in page.frames:
            if "/widget/frame" in found.url:
                return found
        page.wait_for_timeout(50)
    raise AssertionError("no frame of the widget")


def opened(page: Page) -> Frame:
    page.evaluate("Antecedent.open()")
    chat = frame(page)
    expect(chat.locator("textarea")).to_be_visible(timeout=LONG)
    return chat


def asked(chat: Frame, text: str) -> None:
    box = chat.locator("textarea")
    box.fill(text)
    box.press("Enter")


def answered(chat: Frame, number: int) -> Any:
    turn = chat.locator(".turn").nth(number - 1)
    expect(turn).to_have_attribute("data-state", "completed", timeout=LONG)
    return turn


def at_launcher(page: Page) -> str:
    """The element that a pointer meets where the launcher belongs."""
    size = page.viewport_size
    assert size is not None
    found: str = page.evaluate(
        "([x, y]) => document.elementFromPoint(x, y)?.localName ?? ''",
        [size["width"] - 50, size["height"] - 50],
    )
    return found


def click_launcher(page: Page) -> None:
    size = page.viewport_size
    assert size is not None
    page.mouse.click(size["width"] - 50, size["height"] - 50)
