"""The second factor: set up with a QR code, asked for at sign-in, with recovery codes, and asked of members."""

from __future__ import annotations

import re

import pytest
from allauth.mfa.models import Authenticator

from tenants.models import Tenant, User
from tests.api.conftest import PASSWORD
from tests.api.signing import code_of, fresh, letters  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh", "letters")]
KEY = re.compile(rb'<code class="key">([A-Z2-7]+)</code>')


def sign_in(client, email="ann@acme.example"):
    return client.post("/login/", {"username": email, "password": PASSWORD})


def enrolled(client) -> str:
    """The key of the authenticator that was set up."""
    page = client.get("/account/two-factor/on/")
    key = KEY.search(page.content)[1].decode()
    assert b'src="data:image/svg+xml;base64,' in page.content
    answer = client.post("/account/two-factor/on/", {"code": code_of(key)})
    assert answer.headers["Location"] == "/t/acme/account/recovery-codes/", answer.content
    return key


@pytest.fixture
def ann(tenant, browser, person):
    person(tenant, "ann@acme.example", "owner")
    client = browser(tenant)
    sign_in(client)
    return client


def test_once_set_up_it_is_asked_for(tenant, browser, ann):
    key, client = enrolled(ann), browser(tenant)
    assert sign_in(client).headers["Location"] == "/t/acme/account/code/"
    assert client.get("/account/").status_code == 302, "half signed in is not signed in"
    assert b"not right" in client.post("/account/code/", {"code": "000000"}).content
    assert client.post("/account/code/", {"code": code_of(key, 1)}).headers["Location"] == "/t/acme/chat/"
    assert client.get("/account/").status_code == 200


def test_where_the_person_was_going_is_remembered(tenant, browser, ann):
    key, client = enrolled(ann), browser(tenant)
    form = {"username": "ann@acme.example", "password": PASSWORD, "next": "/t/acme/console/documents/"}
    client.post("/login/", form)
    answer = client.post("/account/code/", {"code": code_of(key, 1)})
    assert answer.headers["Location"] == "/t/acme/console/documents/"


def test_a_code_counts_once(tenant, browser, ann):
    key = enrolled(ann)
    code, (first, second) = code_of(key, 1), (browser(tenant), browser(tenant))
    for client in (first, second):
        sign_in(client)
    assert first.post("/account/code/", {"code": code}).status_code == 302
    assert second.post("/account/code/", {"code": code}).status_code == 200


def test_a_recovery_code_counts_once(tenant, browser, ann):
    enrolled(ann)
    codes = re.findall(rb"<li>(\d{8})</li>", ann.get("/account/recovery-codes/").content)
    assert len(codes) == 10
    for client, expected in ((browser(tenant), 302), (browser(tenant), 200)):
        sign_in(client)
        assert client.post("/account/code/", {"code": codes[0].decode()}).status_code == expected


def test_codes_are_not_guessed(tenant, browser, ann):
    key, client = enrolled(ann), browser(tenant)
    sign_in(client)
    for _ in range(5):
        client.post("/account/code/", {"code": "000000"})
    page = client.post("/account/code/", {"code": code_of(key, 1)})
    assert b"Too many attempts" in page.content and client.get("/account/").status_code == 302


def test_secrets_are_encrypted_at_rest(ann):
    key = enrolled(ann)
    rows = list(Authenticator.objects.all())
    assert len(rows) == 2 and all(key not in str(row.data) for row in rows)
    assert all(
        value.startswith("gAAAA")
        for row in rows
        for name, value in row.data.items()
        if name in ("secret", "seed")
    )


def test_secrets_are_sealed_anew_with_the_newest_key(ann, settings):
    from tenants.sign_in.two_factor import TwoFactorAdapter, authenticators_rotate

    key = enrolled(ann)
    settings.SECRETS_KEYS = ["n" * 40, *settings.SECRETS_KEYS]
    first, second = authenticators_rotate(), authenticators_rotate()
    assert (first.resealed, second.resealed) == (2, 0) and not first.unreadable + second.unreadable
    settings.SECRETS_KEYS = settings.SECRETS_KEYS[:1]
    row = Authenticator.objects.get(type=Authenticator.Type.TOTP)
    assert TwoFactorAdapter().decrypt(row.data["secret"]) == key


def test_it_is_switched_off_by_its_owner(tenant, browser, ann):
    enrolled(ann)
    assert ann.post("/account/two-factor/off/").status_code == 302
    assert not Authenticator.objects.exists()
    assert sign_in(browser(tenant)).headers["Location"] == "/t/acme/chat/"


def test_after_a_while_a_change_asks_for_the_password_again(ann):
    session = ann.session
    for record in session["account_authentication_methods"]:
        record["at"] -= 3600
    session.save()
    answer = ann.get("/account/two-factor/on/")
    assert answer.headers["Location"].startswith("/t/acme/account/again/")
    next_url = "/t/acme/account/two-factor/on/"
    assert ann.post("/account/again/", {"password": "wrong", "next": next_url}).status_code == 200
    assert (
        ann.post("/account/again/", {"password": PASSWORD, "next": next_url}).headers["Location"] == next_url
    )
    assert ann.get("/account/two-factor/on/").status_code == 200


def test_a_tenant_asks_it_of_its_members(tenant, browser, person, ann):
    Tenant.objects.filter(pk=tenant.pk).update(two_factor_required=True)
    page = ann.get("/console/", HTTP_ACCEPT="text/html")
    assert page.headers["Location"] == "/t/acme/account/two-factor/on/"
    assert ann.get("/chat/sessions").json()["error"]["code"] == "two_factor_required"
    enrolled(ann)
    assert ann.get("/console/", HTTP_ACCEPT="text/html").status_code == 200
    off = ann.post("/account/two-factor/off/")
    assert off.status_code == 200 and Authenticator.objects.exists()


def test_it_is_not_asked_of_visitors_and_end_users(tenant, browser, person):
    Tenant.objects.filter(pk=tenant.pk).update(two_factor_required=True)
    person(tenant, "bob@acme.example")
    client = browser(tenant)
    assert client.get("/chat/", HTTP_ACCEPT="text/html").status_code == 200
    sign_in(client, "bob@acme.example")
    assert client.get("/chat/", HTTP_ACCEPT="text/html").status_code == 200


def test_another_tenant_does_not_ask_for_it(tenant, rival, browser, person, ann):
    Tenant.objects.filter(pk=rival.pk).update(two_factor_required=True)
    assert ann.get("/console/", HTTP_ACCEPT="text/html").status_code == 200
    assert User.objects.count() == 1
