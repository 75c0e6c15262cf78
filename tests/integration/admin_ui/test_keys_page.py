"""Owners and admins make and end keys in the console. A secret is shown on one page and never again."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tenants.models import ApiKey, AuditEntry, IdentityKey, WidgetKey
from tenants.scoping import tenant_scope
from tenants.selectors.keys import access_api_key
from tenants.services.identities import identity_key_create
from tenants.services.keys import api_key_create
from tenants.services.widget_keys import widget_key_create

pytestmark = pytest.mark.django_db
FORM = {"name": "Catalogue import", "scopes": ["read", "ingest"], "life": "30"}
LOOK = {
    "title": "Reading room", "origins": "https://library.example\nhttps://*.branch.example\n", "name": "Ask us",
    "greeting": "Good day", "suggestions": "When do you open?\n\nMay I renew?", "accent": "#0d5560", "language": "de",
    "theme": "dark", "position": "left", "identified_only": "yes",
}  # fmt: skip


def secret_in(answer) -> str:
    found = re.search(r'id="shown-secret">([^<]+)<', answer.content.decode())
    return html.unescape(found[1]) if found else ""


@pytest.fixture
def admin(scoped, browser):
    return browser(scoped, "admin")


@pytest.fixture
def made(scoped):
    """A key of each kind."""
    return (
        api_key_create(name="Old import", scopes=["read"])[0],
        identity_key_create(kid="library-1", algorithm="HS256")[0],
        widget_key_create(name="Branch desk", allowed_origins=["https://library.example"]),
    )


def paths(made) -> list[str]:
    key, identity, widget = (one.pk for one in made)
    return [f"keys/{key}/revoke", f"keys/identities/{identity}/retire", f"keys/identities/{identity}/revoke",
            f"keys/widgets/{widget}/revoke", f"keys/widgets/{widget}/", "keys/new", "keys/identities/new",
            "keys/widgets/new"]  # fmt: skip


def untouched() -> bool:
    kinds = (ApiKey, IdentityKey, WidgetKey)
    return all(list(kind.objects.values_list("revoked_at", flat=True)) == [None] for kind in kinds)


@pytest.mark.parametrize("role", ["editor", "analyst"])
def test_other_roles_neither_see_nor_change_keys(scoped, browser, made, role):
    member = browser(scoped, role)
    assert "console/keys/" not in member.get("").content.decode()
    assert member.get("keys/").status_code == 403
    for path in paths(made):
        assert member.post(path, {**FORM, "kid": "x", "algorithm": "HS256"}).status_code == 403
    assert untouched()


@pytest.mark.parametrize("role", ["owner", "admin"])
def test_owners_and_admins_find_it_in_the_menu(scoped, browser, role):
    member = browser(scoped, role)
    assert "console/keys/" in member.get("").content.decode()
    assert "No key yet." in member.get("keys/").content.decode()


def test_a_new_key_is_shown_once_and_works(scoped, admin):
    answer = admin.post("keys/new", FORM)
    assert "no-store" in answer["Cache-Control"]
    key = access_api_key(secret_in(answer))
    assert (key.scopes, key.created_by.name) == (["ingest", "read"], "Admin")
    assert 29 <= (key.expires_at - key.created_at).days <= 30
    again = admin.get("keys/").content.decode()
    assert "Catalogue import" in again
    assert secret_in(answer) not in again


def test_a_key_may_have_no_end(admin):
    admin.post("keys/new", {**FORM, "life": "never"})
    assert ApiKey.objects.get().expires_at is None


@pytest.mark.parametrize("wrong", [{"name": ""}, {"scopes": []}, {"scopes": ["everything"]}])
def test_nonsense_makes_no_key_and_is_told(admin, wrong):
    assert admin.post("keys/new", {**FORM, **wrong}).status_code == 302
    assert not ApiKey.objects.exists()
    assert 'data-level="error"' in admin.get("keys/").content.decode()


def test_a_revoked_key_stays_in_the_list_as_revoked(admin, made):
    admin.post(f"keys/{made[0].pk}/revoke")
    assert ApiKey.objects.get().revoked_at
    assert f"keys/{made[0].pk}/revoke" not in admin.get("keys/").content.decode()
    assert AuditEntry.objects.filter(action="key.revoked").exists()


def test_reading_an_address_revokes_nothing(admin, made):
    for path in paths(made):
        assert admin.get(path).status_code == (200 if path.endswith("/") else 405)
    assert untouched()


def test_a_shared_identity_secret_is_shown_once(admin):
    answer = admin.post("keys/identities/new", {"kid": "library-2", "algorithm": "HS256"})
    assert len(secret_in(answer)) >= 32
    assert secret_in(answer) not in admin.get("keys/").content.decode()


def test_a_private_key_is_refused_in_words(admin):
    pem = "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----"
    admin.post("keys/identities/new", {"kid": "k", "algorithm": "RS256", "material": pem})
    assert not IdentityKey.objects.exists()
    assert "This is a private key" in admin.get("keys/").content.decode()


def test_an_identity_key_is_retired_then_revoked(admin, made):
    for how in ("retire", "revoke"):
        admin.post(f"keys/identities/{made[1].pk}/{how}")
    key = IdentityKey.objects.get()
    assert key.retired_at
    assert key.revoked_at


def test_a_widget_is_made_and_its_tag_is_shown(admin):
    answer = admin.post("keys/widgets/new", {"name": "Help", "origins": "https://library.example"})
    key = WidgetKey.objects.get()
    assert answer["Location"].endswith(f"/console/keys/widgets/{key.pk}/")
    page = html.unescape(admin.get(f"keys/widgets/{key.pk}/").content.decode())
    assert f'/t/acme/widget.js" data-key="{key.public_key}" async>' in page


def test_a_widget_takes_origins_visitors_and_look(admin, made):
    admin.post(f"keys/widgets/{made[2].pk}/", LOOK)
    key = WidgetKey.objects.get()
    assert (key.name, key.identified_only, key.one_time_identities) == ("Reading room", True, False)
    assert key.allowed_origins == ["https://library.example", "https://*.branch.example"]
    assert key.look["suggestions"] == ["When do you open?", "May I renew?"]
    assert (key.look["theme"], key.look["position"], key.look["accent"]) == ("dark", "left", "#0d5560")


def test_what_the_form_does_not_know_of_a_look_stays(admin, made):
    WidgetKey.objects.update(look={"launcher": {"label": "Ask"}, "theme": "dark"})
    admin.post(f"keys/widgets/{made[2].pk}/", {**LOOK, "theme": ""})
    look = WidgetKey.objects.get().look
    assert look["launcher"] == {"label": "Ask"}
    assert "theme" not in look


@pytest.mark.parametrize("wrong", [{"origins": "library"}, {"accent": "teal"}, {"title": ""}])
def test_a_form_is_saved_as_a_whole_or_not_at_all(admin, made, wrong):
    admin.post(f"keys/widgets/{made[2].pk}/", {**LOOK, **wrong})
    key = WidgetKey.objects.get()
    assert (key.name, key.look, key.identified_only) == ("Branch desk", {}, False)
    assert 'data-level="error"' in admin.get("keys/").content.decode()


def test_it_costs_no_more_with_more_keys(admin, made):
    def cost() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert admin.get("keys/").status_code == 200
        return len([query for query in asked if not query["sql"].startswith(("SAVEPOINT", "RELEASE"))])

    cost()  # the first page of a browser asks for more
    few = cost()
    for n in range(6):
        admin.post("keys/new", {**FORM, "name": f"Import {n}"})
        widget_key_create(name=f"Widget {n}")
    assert cost() == few
    assert few <= 14


def test_a_rival_neither_sees_nor_ends_them(scoped, rival, made, browser):
    stranger = browser(scoped, "owner", member_of=rival)
    assert stranger.get("keys/").status_code == 403
    with tenant_scope(rival.pk):
        other = browser(rival, "owner")
        page = other.get("keys/").content.decode()
        for path in paths(made)[:5]:
            other.post(path, LOOK)
        assert other.get(f"keys/widgets/{made[2].pk}/").status_code == 404
    assert not any(name in page for name in ("Old import", "library-1", "Branch desk"))
    assert untouched()
