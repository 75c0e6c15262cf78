"""The link of an invitation, as the person who got the letter meets it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from kernel.clock import now
from tenants.models import Invitation, Membership, User
from tenants.scoping import tenant_scope
from tests.api.conftest import PASSWORD
from tests.api.signing import fresh, letters, link_in  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh")]


@pytest.fixture
def invited(tenant, rival, browser, person, letters):  # noqa: F811
    """`invited(email, role)` has an owner invite by the console, and gives the path of the link."""
    person(tenant, "owner@acme.example", "owner")

    def asked(email: str, role: str = "editor") -> str:
        client = browser(tenant)
        client.post("/login/", {"username": "owner@acme.example", "password": PASSWORD})
        assert client.post("/console/members/invite", {"email": email, "role": role}).status_code == 302
        assert letters[-1].to == [email]
        return link_in(letters[-1])

    return asked


def role_of(tenant, email):
    with tenant_scope(tenant.id):
        found = Membership.objects.filter(user__email=email).first()
        return found.role if found else None


def test_a_new_person_chooses_a_password_and_is_in(tenant, browser, invited):
    client, link = browser(tenant), invited("ada@new.example")
    page = client.get(link)
    assert b"Join Acme" in page.content and b"ada@new.example" in page.content
    answer = client.post(link, {"name": "Ada", "password": "a long enough phrase"})
    assert answer.headers["Location"] == "/t/acme/chat/"
    assert role_of(tenant, "ada@new.example") == "editor"
    assert client.get("/console/", HTTP_ACCEPT="text/html").status_code == 200


def test_a_weak_password_makes_no_account(tenant, browser, invited):
    link = invited("ada@new.example")
    for password in ("short", "12345678901234", "password123", ""):
        page = browser(tenant).post(link, {"name": "Ada", "password": password})
        assert page.status_code == 200 and b"aria-invalid" in page.content
    assert not User.objects.filter(email="ada@new.example").exists()


def test_somebody_with_an_account_elsewhere_joins_with_its_password(tenant, rival, browser, person, invited):
    person(rival, "eve@rival.example", "owner")
    link, client = invited("eve@rival.example", "analyst"), browser(tenant)
    assert b"already" in client.get(link).content
    assert client.post(link, {"password": "wrong"}).status_code == 200
    assert role_of(tenant, "eve@rival.example") is None
    assert client.post(link, {"password": PASSWORD}).headers["Location"] == "/t/acme/chat/"
    assert role_of(tenant, "eve@rival.example") == "analyst"
    assert role_of(rival, "eve@rival.example") == "owner"


def test_somebody_signed_in_joins_with_one_click(tenant, browser, person, invited):
    person(tenant, "ann@acme.example")
    link, client = invited("ann@acme.example", "admin"), browser(tenant)
    client.post("/login/", {"username": "ann@acme.example", "password": PASSWORD})
    assert role_of(tenant, "ann@acme.example") is None
    client.get(link)
    assert role_of(tenant, "ann@acme.example") is None, "looking at the page is no consent"
    assert client.post(link).status_code == 302
    assert role_of(tenant, "ann@acme.example") == "admin"


def test_signed_in_as_another_it_says_for_whom_it_is(tenant, browser, person, invited):
    person(tenant, "ann@acme.example")
    link, client = invited("ada@new.example"), browser(tenant)
    client.post("/login/", {"username": "ann@acme.example", "password": PASSWORD})
    for answer in (client.get(link), client.post(link, {"name": "Ann", "password": "a long enough phrase"})):
        assert answer.status_code == 403
        assert b"ada@new.example" in answer.content and b"ann@acme.example" in answer.content
    assert role_of(tenant, "ann@acme.example") is None and role_of(tenant, "ada@new.example") is None


def test_a_used_link_says_so(tenant, browser, invited):
    link = invited("ada@new.example")
    browser(tenant).post(link, {"name": "Ada", "password": "a long enough phrase"})
    page = browser(tenant).get(link)
    assert page.status_code == 410 and b"has been used" in page.content


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"expires_at": now() - timedelta(seconds=1)}, b"has expired"),
        ({"revoked_at": now()}, b"was taken back"),
    ],
)
def test_a_link_that_ended_says_why(tenant, browser, invited, change, words):
    link = invited("ada@new.example")
    with tenant_scope(tenant.id):
        Invitation.objects.update(**change)
    page = browser(tenant).post(link, {"name": "Ada", "password": "a long enough phrase"})
    assert page.status_code == 410 and words in page.content
    assert not User.objects.filter(email="ada@new.example").exists()


def test_at_another_tenants_address_the_link_is_nothing(tenant, rival, browser, invited):
    link = invited("ada@new.example")
    assert browser(rival).get(link).status_code == 404
    assert browser(rival).post(link, {"name": "A", "password": "a long enough phrase"}).status_code == 404
    assert not User.objects.filter(email="ada@new.example").exists()


def test_the_links_page_tells_its_address_to_nobody(tenant, browser, invited):
    page = browser(tenant).get(invited("ada@new.example"))
    assert page.headers["Referrer-Policy"] == "no-referrer" and "no-store" in page.headers["Cache-Control"]


def test_passwords_are_not_guessed_at_an_invitation(tenant, rival, browser, person, invited):
    person(rival, "eve@rival.example", "owner")
    link, client = invited("eve@rival.example"), browser(tenant)
    for _ in range(5):
        assert b"not the password" in client.post(link, {"password": "wrong"}).content
    assert b"Too many attempts" in client.post(link, {"password": PASSWORD}).content
    assert role_of(tenant, "eve@rival.example") is None
