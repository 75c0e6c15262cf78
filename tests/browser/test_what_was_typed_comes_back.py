"""What somebody typed into a form of the console is there again when it was not taken. Pages are played by the test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

ROOT = Path(__file__).parents[2]
SCRIPT = (ROOT / "admin_ui/static/admin_ui/typed.js").read_text()
SITE = "http://console.test"
FORM = """
<details><summary>New corpus</summary><form method="post" action="/corpora/">
  <input type="hidden" name="csrf" value="token"><input name="name"><textarea name="about"></textarea>
  <select name="language"><option>english</option><option>german</option></select>
  <input type="radio" name="seen" value="all" checked><input type="radio" name="seen" value="few">
  <input type="checkbox" name="kinds" value="a" checked><input type="checkbox" name="kinds" value="b">
  <input type="password" name="secret"><button>Make it</button></form></details>
<form method="post" action="/other/"><input name="name" value="untouched"><button>Other</button></form>
<form method="post" action="/logout/"><button>Sign out</button></form>"""
ERROR = '<ul class="ac-messages"><li class="ac-message" data-level="error">Taken already.</li></ul>'
SUCCESS = '<ul class="ac-messages"><li class="ac-message" data-level="success">Made.</li></ul>'
pytestmark = pytest.mark.browser


def told(person: str = "Ada", message: str = "") -> str:
    return f"<!doctype html><script>{SCRIPT}</script><a class='ac-person-name'>{person}</a>{message}{FORM}"


class Site:
    """A console of one page; `answers` are what it shows next for an address, and `/corpora/` leads back to it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.console = told()
        self.refusal = ""
        page.route(f"{SITE}/**", self._answer)

    def _answer(self, route: Route) -> Any:
        path = route.request.url.removeprefix(SITE)
        if route.request.method == "POST" and not self.refusal:
            return route.fulfill(status=303, headers={"Location": f"{SITE}/console/"})
        body = self.console if path == "/console/" else self.refusal
        return route.fulfill(status=200, content_type="text/html", body=body)

    def fill_and_send(self) -> None:
        self.page.goto(f"{SITE}/console/")
        self.page.locator("summary").click()
        self.page.locator("[name=name]").first.fill("Правила")
        self.page.locator("[name=about]").fill("two\nlines")
        self.page.locator("[name=language]").select_option("german")
        self.page.locator("[value=few]").check()
        self.page.locator("[value=a]").uncheck()
        self.page.locator("[value=b]").check()
        self.page.locator("[name=secret]").fill("never kept")

    def send(self, answer: str) -> None:
        self.console = answer
        self.page.get_by_role("button", name="Make it").click()


@pytest.fixture
def site(page: Page) -> Site:
    return Site(page)


def is_back(page: Page) -> None:
    expect(page.locator("[name=name]").first).to_be_visible()  # its disclosure is open
    expect(page.locator("[name=name]").first).to_have_value("Правила")
    expect(page.locator("[name=about]")).to_have_value("two\nlines")
    expect(page.locator("[name=language]")).to_have_value("german")
    expect(page.locator("[value=few]")).to_be_checked()
    expect(page.locator("[value=a]")).not_to_be_checked()
    expect(page.locator("[value=b]")).to_be_checked()
    expect(page.locator("[name=secret]")).to_have_value("")
    expect(page.locator("[name=name]").last).to_have_value("untouched")
    assert page.evaluate("sessionStorage.length") == 0


def is_empty(page: Page) -> None:
    expect(page.locator("[name=name]").first).to_have_value("")
    expect(page.locator("[value=all]")).to_be_checked()
    assert page.evaluate("sessionStorage.length") == 0


def test_a_refused_form_is_filled_in_again_but_for_its_password(site, page):
    site.fill_and_send()
    site.send(told(message=ERROR))
    expect(page.get_by_text("Taken already.")).to_be_visible()
    is_back(page)


@pytest.mark.parametrize("message", [SUCCESS, ""])
def test_a_form_that_was_taken_is_empty_afterwards(site, page, message):
    site.fill_and_send()
    site.send(told(message=message + "<p>Next</p>"))
    expect(page.get_by_text("Next")).to_be_visible()
    is_empty(page)


def test_it_is_back_after_a_page_in_between_such_as_signing_in_again(site, page):
    site.fill_and_send()
    site.refusal = f"<p>Out of date</p><a href='{SITE}/console/'>Back to the page</a>"
    site.send(told())
    page.get_by_role("link", name="Back to the page").click()
    is_back(page)


def test_it_is_nobody_elses(site, page):
    site.fill_and_send()
    site.refusal = f"<p>Signed out</p><a href='{SITE}/console/'>Sign in</a>"
    site.send(told(person="Bea"))
    page.get_by_role("link", name="Sign in").click()
    is_empty(page)


def test_signing_out_forgets_it(site, page):
    site.fill_and_send()
    site.refusal = "<p>Out of date</p>"
    site.send(told())
    page.go_back()
    site.refusal = ""
    page.get_by_role("button", name="Sign out").click()
    is_empty(page)
