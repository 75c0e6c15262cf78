"""Every page of the console has one `<main>`, one heading of the first level in it, and names its sidebar."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from conversations.services.evaluation_sets import set_create
from tenants.services.versions import version_draft
from tests.integration.admin_ui.rows import make_document, make_session
from tests.integration.admin_ui.test_every_page_by_every_role import addresses

pytestmark = pytest.mark.django_db


class Landmarks(HTMLParser):
    """How often each landmark and heading stands on a page, and which of them inside `<main>`."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: dict[str, int] = {}
        self.depth = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.depth += tag == "main"
        if tag in ("main", "h1", "nav"):
            key = f"{tag} inside" if tag == "h1" and self.depth else tag
            self.found[key] = self.found.get(key, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "main"


@pytest.fixture
def pages(scoped, corpus) -> list[str]:
    """Every address without an id, and one page of each thing that has one."""
    plain = [path for path in addresses().values() if not any(part in path for part in ("-", "/7/", "x/"))]
    number, session = version_draft(kind="policy", name="scope").number, make_session(turns=2)
    return [
        *plain,
        "audit-log/",
        "what-if/",
        "what-if/new",
        f"policy/{number}/",
        f"conversations/{session.pk}/",
        f"documents/{make_document(corpus, 'Wards').pk}/",
        f"evaluations/sets/{set_create(name='Wards').pk}/",
    ]


def test_every_page_has_one_main_and_one_first_heading_in_it(scoped, browser, pages):
    console, wrong, seen = browser(scoped, "owner"), {}, 0
    for path in pages:
        answer = console.get(path)
        if answer.status_code != 200 or not answer["Content-Type"].startswith("text/html"):
            continue
        html = answer.content.decode()
        if "<html" not in html:
            continue  # a part of a page, for one that is open
        seen += 1
        found = Landmarks(html).found
        if (found.get("main"), found.get("h1 inside"), found.get("h1")) != (1, 1, None):
            wrong[path] = found
    assert wrong == {}
    assert seen > 20
