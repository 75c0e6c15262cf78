"""Every page of the console has one `<main>`, one heading of the first level in it, and names its sidebar and every other nav."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from tests.integration.admin_ui.whole_console import pages_of

pytestmark = pytest.mark.django_db


class Landmarks(HTMLParser):
    """How often `<main>` and the first heading stand on a page, the heading in `<main>` or not; and what each nav is called."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: dict[str, int] = {}
        self.navs: list[str | None] = []
        self.depth = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.depth += tag == "main"
        if tag == "nav":
            self.navs.append(dict(attrs).get("aria-label"))
        if tag in ("main", "h1"):
            key = f"{tag} inside" if tag == "h1" and self.depth else tag
            self.found[key] = self.found.get(key, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "main"


def test_every_page_has_one_main_and_one_first_heading_in_it(scoped, browser, corpus):
    console, wrong, seen = browser(scoped, "owner"), {}, 0
    for path in pages_of(corpus):
        answer = console.get(path)
        if answer.status_code != 200 or not answer["Content-Type"].startswith("text/html"):
            continue
        html = answer.content.decode()
        if "<html" not in html:
            continue  # a part of a page, for one that is open
        seen += 1
        page = Landmarks(html)
        if page.found != {"main": 1, "h1 inside": 1} or None in page.navs or page.navs.count("Console") != 1:
            wrong[path] = (page.found, page.navs)
    assert wrong == {}
    assert seen > 20
