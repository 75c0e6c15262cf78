"""Guessing passwords: counted by account and by address, with a clear wait, and the same for whoever does not exist."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth import hashers

from tenants.adapters.attempts import Counter
from tenants.errors import TooManyAttempts
from tenants.services import attempts
from tests.api.conftest import PASSWORD
from tests.api.signing import fresh  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh")]


def tried(client, email, password="wrong", **headers):
    return client.post("/login/", {"username": email, "password": password}, **headers)


@pytest.mark.parametrize("email", ["ann@acme.example", "no@acme.example", "eve@rival.example"])
def test_after_five_wrong_passwords_one_waits_whoever_it_is(tenant, rival, browser, person, email):
    person(tenant, "ann@acme.example")
    person(rival, "eve@rival.example", "owner")
    client = browser(tenant)
    for _ in range(5):
        assert b"do not fit together" in tried(client, email).content
    page = tried(client, email, PASSWORD)
    assert b"Please wait 5 minutes" in page.content or b"Please wait 300 seconds" in page.content
    assert "_auth_user_id" not in page.wsgi_request.session


def test_the_address_is_counted_however_it_is_written(tenant, browser, person):
    person(tenant, "ann@acme.example")
    client = browser(tenant)
    for email in (
        "ann@acme.example",
        "ANN@acme.example",
        " ann@acme.example",
        "Ann@Acme.example",
        "ann@acme.example",
    ):
        tried(client, email)
    assert b"Too many attempts" in tried(client, "ann@acme.example", PASSWORD).content


def test_others_are_not_locked_out(tenant, browser, person):
    person(tenant, "ann@acme.example")
    person(tenant, "bob@acme.example")
    client = browser(tenant)
    for _ in range(6):
        tried(client, "ann@acme.example")
    assert tried(client, "bob@acme.example", PASSWORD).status_code == 302
    assert tried(browser(tenant), "ann@acme.example", PASSWORD, REMOTE_ADDR="192.0.2.7").status_code == 302


def test_a_right_password_forgets_the_wrong_ones(tenant, browser, person):
    person(tenant, "ann@acme.example")
    for _ in range(3):
        for _ in range(4):
            tried(browser(tenant), "ann@acme.example")
        assert tried(browser(tenant), "ann@acme.example", PASSWORD).status_code == 302


def test_one_address_does_not_try_everybody(tenant, browser, monkeypatch):
    monkeypatch.setattr(hashers, "make_password", lambda *args: "")  # quick: only the counting matters here
    client = browser(tenant)
    pages = [tried(client, f"somebody{n}@acme.example").content for n in range(61)]
    assert b"Too many attempts" not in pages[59] and b"Too many attempts" in pages[60]


def test_an_account_is_not_tried_from_everywhere(tenant, browser, person):
    person(tenant, "ann@acme.example")
    for n in range(40):
        counters = attempts.sign_in_counters(email="ann@acme.example", address=f"192.0.2.{n}")
        attempts.attempt(counters)
    page = tried(browser(tenant), "ann@acme.example", PASSWORD, REMOTE_ADDR="198.51.100.1")
    assert b"Too many attempts" in page.content


def test_attempts_made_at_once_are_all_counted(stack):
    counters = (
        Counter("at-once", "ann", most=5, seconds=60),
        Counter("at-once-address", "x", most=100, seconds=60),
    )

    waits: list[int] = []

    def one(n: int) -> bool:
        try:
            attempts.attempt(counters)
        except TooManyAttempts as error:
            waits.append(error.extra["retry_after"])
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(one, range(64))) == 5
    assert len(waits) == 59 and all(0 < wait <= 60 for wait in waits)


def test_a_password_is_hashed_for_nobody_as_well(tenant, browser, person, monkeypatch):
    """Who does not exist takes as long as who does: one Argon2 hash each."""
    person(tenant, "ann@acme.example")
    hashed = []
    argon2 = hashers.get_hasher("default")
    for name in ("encode", "verify"):
        plain = getattr(type(argon2), name)
        monkeypatch.setattr(
            type(argon2),
            name,
            lambda self, *args, plain=plain, **more: hashed.append(1) or plain(self, *args, **more),
        )
    counts = []
    for email in ("ann@acme.example", "no@acme.example"):
        hashed.clear()
        tried(browser(tenant), email)
        counts.append(len(hashed))
    assert counts == [1, 1]


def test_without_valkey_nobody_is_locked_out(tenant, browser, person, settings):
    person(tenant, "ann@acme.example")
    settings.VALKEY_URL = "redis://127.0.0.1:1/0"
    assert tried(browser(tenant), "ann@acme.example", PASSWORD).status_code == 302


def test_a_proxys_word_for_the_address_counts_only_where_it_is_trusted(tenant, browser, settings):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 0
    for n in range(6):
        page = tried(browser(tenant), "no@acme.example", HTTP_X_FORWARDED_FOR=f"192.0.2.{n}")
    assert b"Too many attempts" in page.content
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    page = tried(browser(tenant), "no@acme.example", HTTP_X_FORWARDED_FOR="203.0.113.5, 192.0.2.99")
    assert b"Too many attempts" not in page.content
