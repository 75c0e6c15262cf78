"""Members, invitations, keys, corpora and audiences come a page at a time, and a page costs the same whatever there is."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from retrieval.models import Corpus
from tenants.models import ApiKey, Audience, IdentityKey, Invitation, User, WidgetKey
from tenants.scoping import tenant_scope
from tenants.services import audience_create, membership_set
from tenants.services.identities import identity_key_create
from tenants.services.invitations import invitation_create
from tenants.services.keys import api_key_create, api_key_revoke
from tenants.services.widget_keys import widget_key_create

pytestmark = pytest.mark.django_db
# Of each list: the page that it is on, what counts its pages, what its pages are of, and which way goes on.
LISTS = {
    "members": ("members/", "page", "members"),
    "invitations": ("members/", "invitations", "invitations"),
    "api keys": ("keys/", "keys", "API keys"),
    "widgets": ("keys/", "widgets", "widgets"),
    "identity keys": ("keys/", "identities", "identity keys"),
    "corpora": ("access/", "corpora", "corpora"),
    "audiences": ("access/", "audiences", "audiences"),
}


def one_more(kind: str, n: int, owner) -> None:
    name = f"Row {n:03d}"
    match kind:
        case "members":
            user = User.objects.create_user(f"row-{n:03d}@acme.example", name=name)
            membership_set(user=user, role="analyst")
        case "invitations":
            invitation_create(email=f"row-{n:03d}@guest.example", role="analyst", by=owner)
        case "api keys":
            api_key_create(name=name, scopes=["read"], expires_at=None)
        case "widgets":
            widget_key_create(name=name)
        case "identity keys":
            identity_key_create(kid=f"row-{n:03d}", algorithm="HS256")
        case "corpora":
            Corpus.objects.create(name=name, slug=f"row-{n:03d}")
        case "audiences":
            audience_create(name=name)


@pytest.fixture
def owner(scoped):
    user = User.objects.create_user("owner@acme.example", name="Olga")
    return membership_set(user=user, role="owner")


@pytest.fixture
def console(scoped, owner, browser):
    opened = browser(scoped)
    opened.client.force_login(owner.user)
    return opened


def rows_on(page: str) -> list[int]:
    """Which of the rows a page shows, each once."""
    return sorted({int(n) for n in re.findall(r"[Rr]ow[ -](\d{3})", html.unescape(page))})


def pager_of(page: str, of: str) -> str:
    found = re.search(rf'<nav class="ac-pager[^"]*" aria-label="Pages of {of}">.*?</nav>', page, re.S)
    return found[0] if found else ""


@pytest.mark.parametrize("kind", LISTS)
def test_every_row_is_on_one_page_and_the_pager_leads_through_them(scoped, owner, console, kind):
    path, _, of = LISTS[kind]
    with tenant_scope(scoped.id):
        for n in range(60):
            one_more(kind, n, owner)
    seen: list[int] = []
    where: str | None = path
    while where is not None:
        page = console.get(where).content.decode()
        shown = rows_on(page)
        assert 0 < len(shown) <= 25
        seen += shown
        on = re.search(r'rel="next" href="([^"#]*)#?[^"]*"', pager_of(page, of))
        where = path + html.unescape(on[1])[html.unescape(on[1]).index("?") :] if on else None
    assert sorted(seen) == list(range(60))


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("number", ["0", "-1", "99999999999999999999", "x", ""])
def test_a_page_that_is_none_is_the_first_or_the_last(scoped, owner, console, kind, number):
    path, param, _ = LISTS[kind]
    with tenant_scope(scoped.id):
        for n in range(30):
            one_more(kind, n, owner)
    page = console.get(path, data={param: number})
    assert page.status_code == 200 and rows_on(page.content.decode())


@pytest.mark.parametrize("path", sorted({path for path, _, _ in LISTS.values()}))
def test_it_costs_no_more_queries_with_more_rows(scoped, owner, console, path):
    def cost() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert console.get(path).status_code == 200
        return len([query for query in asked if not query["sql"].startswith(("SAVEPOINT", "RELEASE"))])

    kinds = [kind for kind, (of, _, _) in LISTS.items() if of == path]
    with tenant_scope(scoped.id):
        for kind in kinds:
            for n in range(2):
                one_more(kind, n, owner)
    cost()  # the first page of a browser asks for more
    few = cost()
    with tenant_scope(scoped.id):
        for kind in kinds:
            for n in range(2, 40):
                one_more(kind, n, owner)
    assert cost() == few


def test_lists_of_one_page_turn_by_themselves(scoped, owner, console):
    with tenant_scope(scoped.id):
        for n in range(30):
            one_more("corpora", n, owner)
            one_more("audiences", n, owner)
    page = console.get("access/", data={"corpora": "2"}).content.decode()
    assert "26–30 of 30" in pager_of(page, "corpora")
    audiences = Audience.objects.count()
    assert f"1–25 of {audiences}" in pager_of(page, "audiences")
    # The other list's way on keeps the page of this one.
    assert "corpora=2" in pager_of(page, "audiences") and "audiences=2" in pager_of(page, "audiences")


def test_a_short_list_has_no_pager(scoped, owner, console):
    for path, _, of in LISTS.values():
        assert pager_of(console.get(path).content.decode(), of) == ""


def test_keys_that_count_come_before_those_that_are_revoked(scoped, owner, console):
    with tenant_scope(scoped.id):
        for n in range(30):
            one_more("api keys", n, owner)
        for key in ApiKey.objects.filter(name__gte="Row 010"):
            api_key_revoke(key_id=key.pk)
    first = rows_on(console.get("keys/").content.decode())
    assert set(range(10)) <= set(first)


def test_who_owns_and_who_has_no_second_factor_is_counted_on_all_pages(scoped, owner, console):
    with tenant_scope(scoped.id):
        for n in range(30):
            one_more("members", n, owner)
    page = console.get("members/", data={"page": "2"}).content.decode()
    assert "<b>31</b> of 31 members" in page
    first = console.get("members/").content.decode()
    assert "the last one" in first, "the only owner cannot be removed, wherever the others are listed"


def test_the_page_of_a_new_key_leads_back_to_the_lists(scoped, owner, console):
    """Its own address takes new keys only: a way on that stayed there would lead nowhere."""
    with tenant_scope(scoped.id):
        for n in range(30):
            one_more("api keys", n, owner)
    page = console.post("keys/new", {"name": "Row 030", "scopes": ["read"], "life": "30"}).content.decode()
    [way] = re.findall(r'href="([^"]*keys=2[^"]*)"', pager_of(page, "API keys"))
    assert html.unescape(way).split("?")[0].endswith("/console/keys/")


def test_the_rivals_rows_are_on_no_page_of_ours(scoped, rival, owner, console):
    with tenant_scope(rival.id):
        there = membership_set(user=User.objects.create_user("r@rival.example", name="R"), role="owner")
        for kind in LISTS:
            for n in range(30):
                if kind == "members":
                    user = User.objects.create_user(f"row-{n:03d}@rival.example", name=f"Row {n:03d}")
                    membership_set(user=user, role="analyst")
                else:
                    one_more(kind, n, there)
        counts = [m.objects.count() for m in (ApiKey, IdentityKey, WidgetKey, Invitation, Corpus)]
        assert counts == [30] * 5
    for path, _, of in LISTS.values():
        page = console.get(path).content.decode()
        assert rows_on(page) == [] and pager_of(page, of) == ""
