"""No page of the console leads anybody to where their role may not go: no link, no form, nothing that is loaded."""

from __future__ import annotations

import re

import pytest
from django.urls import Resolver404, resolve

from tests.integration.admin_ui.test_every_page_by_every_role import ROLES, may
from tests.integration.admin_ui.whole_console import pages_of

pytestmark = pytest.mark.django_db
LEADS = re.compile(r'(?:href|action|formaction|hx-get|hx-post|data-check)="/t/acme/console/([^"#?]*)')


def leads_to(html: str) -> set[str]:
    """The names of the addresses that a page leads to."""
    return {name for path in set(LEADS.findall(html)) if (name := name_of(path))}


def name_of(path: str) -> str | None:
    try:
        return resolve(f"/{path}", urlconf="admin_ui.urls").url_name
    except Resolver404:
        return None


@pytest.mark.parametrize("role", ROLES)
def test_a_page_offers_what_the_role_may_do_and_nothing_else(scoped, browser, corpus, role):
    console, offered = browser(scoped, role), {}
    for path in pages_of(corpus):
        answer = console.get(path)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            offered[path] = leads_to(answer.content.decode())
    allowed = {name for name, roles in may().items() if role in roles}
    known = set(may())
    forbidden = {path: sorted(names & known - allowed) for path, names in offered.items()}
    assert {path: names for path, names in forbidden.items() if names} == {}
    assert len(set().union(*offered.values())) > 15
