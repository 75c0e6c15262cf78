"""Takes the pictures in docs/images anew, from a running `make demo`: `python -m tests.docs.screenshots [address]`.

It signs in as the demonstration's owner, asks the questions of the tour, and looks at the pages that the guides show.
Pictures are of light pages, 1440 by 900.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

IMAGES = Path(__file__).parents[2] / "docs" / "images"
WHO, PASSWORD = "ingrid@nimbus.example", "nimbus-demo-1"  # pragma: allowlist secret
TOUR = (
    "What are the RPO and RTO in Frankfurt on the Business tier?",
    "And for Dublin?",
    "Can I use external keys there?",
    "Different question: how much does a customer-managed key cost?",
)
MORE = ("And per year?", "How long are audit logs kept?", "Back to recovery: what is the RPO in Zurich?")
LONG = 60_000


def signed_in(page: Page, tenant: str) -> None:
    page.goto(f"{tenant}login/")
    page.get_by_label("Email").fill(WHO)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator("textarea")).to_be_visible(timeout=LONG)


def asked(page: Page, *questions: str) -> None:
    """Each after the answer to the one before."""
    for question in questions:
        before = page.locator(".turn").count()
        page.locator("textarea").fill(question)
        page.locator("textarea").press("Enter")
        turn = page.locator(".turn").nth(before)
        expect(turn.get_by_role("button", name="Copy")).to_be_visible(timeout=LONG)


def taken(page: Page, name: str) -> None:
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready")
    page.mouse.move(0, 0)
    page.screenshot(path=IMAGES / f"{name}.png", animations="disabled")
    print(f"docs/images/{name}.png")


def pictures(page: Page, tenant: str) -> None:
    console = f"{tenant}console/"
    signed_in(page, tenant)
    page.get_by_role("button", name="New conversation").click()
    asked(page, *TOUR)
    taken(page, "chat")
    asked(page, *MORE)
    page.goto(f"{console}conversations/")
    page.get_by_role("region", name="Conversations").get_by_role("link").first.click()
    taken(page, "trace")
    page.goto(f"{console}contamination/?days=30")
    taken(page, "contamination")
    page.goto(f"{console}policy/")
    page.get_by_role("button", name="New draft").click()
    expect(page.get_by_role("button", name="Save draft")).to_be_visible()
    taken(page, "policy")
    page.get_by_text("Discard this draft").click()
    page.get_by_role("button", name="Discard draft").click()
    page.goto(f"{console}what-if/")
    page.locator("a.row[href*='/what-if/']").first.click()
    expect(page.get_by_role("heading", name="By kind of turn")).to_be_visible(timeout=LONG)
    taken(page, "what-if")


def main(address: str = "http://127.0.0.1:8000/") -> None:
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
        pictures(page, f"{address.rstrip('/')}/t/nimbus/")
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
