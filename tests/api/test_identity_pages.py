"""Signing in and out below a tenant's address, and what a browser keeps."""

from __future__ import annotations

import pytest

from conversations.identity import DEVICE_COOKIE
from tenants.models import Tenant
from tests.api.conftest import PASSWORD

pytestmark = pytest.mark.django_db


def sign_in(client, email, password=PASSWORD, **more):
    return client.post("/login/", {"username": email, "password": password}, **more)


def test_every_link_carries_the_tenants_prefix(tenant, browser):
    assert browser(tenant).get("/").headers["Location"] == "/t/acme/chat/"
    assert (
        b'href="/t/acme/' in browser(tenant).get("/login/").content
        or b"/t/acme/" in browser(tenant).get("/login/").content
    )


def test_an_account_signs_in_where_it_belongs(tenant, rival, browser, person):
    person(tenant, "ann@acme.example")
    client = browser(tenant)
    assert sign_in(client, "ann@acme.example").headers["Location"] == "/t/acme/chat/"
    assert b"ann@acme.example" in client.get("/chat/").content


@pytest.mark.parametrize(
    ("email", "password"), [("ann@acme.example", "wrong"), ("nobody@acme.example", PASSWORD), ("", "")]
)
def test_a_wrong_sign_in_says_so_and_does_not_say_what_was_wrong(tenant, browser, person, email, password):
    person(tenant, "ann@acme.example")
    answer = sign_in(browser(tenant), email, password)
    assert answer.status_code == 200
    assert "_auth_user_id" not in answer.wsgi_request.session


def test_an_account_of_another_tenant_cannot_sign_in(tenant, rival, browser, person):
    person(rival, "eve@rival.example", "owner")
    answer = sign_in(browser(tenant), "eve@rival.example")
    assert answer.status_code == 200
    assert "_auth_user_id" not in answer.wsgi_request.session


def test_an_account_signed_in_elsewhere_is_a_visitor_here(tenant, rival, browser, person):
    person(rival, "eve@rival.example", "owner")
    client = browser(rival)
    sign_in(client, "eve@rival.example")
    page = client.get("/chat/", SCRIPT_NAME="/t/acme")
    assert b"eve@rival.example" not in page.content
    assert DEVICE_COOKIE in page.cookies


def test_a_tenant_without_anonymous_chat_asks_visitors_to_sign_in(tenant, browser):
    Tenant.objects.filter(pk=tenant.pk).update(anonymous_chat=False)
    answer = browser(tenant).get("/chat/")
    assert answer.status_code == 302 and answer.headers["Location"].startswith("/t/acme/login/")
    assert browser(tenant).get("/chat/sessions").status_code == 401


def test_signing_out_lets_the_next_person_start_as_somebody_else(tenant, browser, person):
    client = browser(tenant)
    client.get("/chat/")
    assert client.cookies[DEVICE_COOKIE].value
    person(tenant, "ann@acme.example")
    sign_in(client, "ann@acme.example")
    client.post("/logout/")
    assert client.cookies[DEVICE_COOKIE].value == ""


def test_signing_in_needs_the_forms_token(tenant, browser, person):
    person(tenant, "ann@acme.example")
    assert sign_in(browser(tenant, enforce_csrf_checks=True), "ann@acme.example").status_code == 403


@pytest.mark.parametrize("slug", ["nobody", "acme-2"])
def test_an_unknown_tenant_is_not_found_for_people_and_programs(db, browser, slug):
    missing = Tenant(slug=slug)
    assert browser(missing).get("/chat/", HTTP_ACCEPT="text/html").status_code == 404
    answer = browser(missing).get("/chat/")
    assert answer.status_code == 404 and answer.json()["error"]["code"] == "tenant_not_found"


def test_a_suspended_tenant_is_closed(tenant, browser):
    from kernel.clock import now

    Tenant.objects.filter(pk=tenant.pk).update(suspended_at=now())
    assert browser(tenant).get("/chat/").json()["error"]["code"] == "tenant_suspended"


def test_pages_allow_no_inline_script_and_no_frame(tenant, browser):
    policy = browser(tenant).get("/chat/").headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy


def test_it_is_alive(client):
    assert client.get("/healthz").json() == {"status": "ok"}


def test_an_address_that_leads_nowhere_says_so_to_people_and_programs(tenant, browser, client):
    for nowhere in (browser(tenant), client):
        assert nowhere.get("/nothing/here").json()["error"]["code"] == "not_found"
        page = nowhere.get("/nothing/here", HTTP_ACCEPT="text/html")
        assert page.status_code == 404 and b"There is nothing at this address." in page.content
