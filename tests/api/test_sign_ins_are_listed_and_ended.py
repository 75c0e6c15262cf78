"""The account page: where somebody is signed in, and ending it there."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.utils import timezone

from tenants.selectors.logins import device_of
from tests.api.conftest import PASSWORD
from tests.api.signing import fresh, letters  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh")]
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1 (KHTML) Version/18.5 Mobile Safari/604.1"


def signed_in(browser, tenant, agent, address="192.0.2.7", email="ann@acme.example"):
    client = browser(tenant, HTTP_USER_AGENT=agent, REMOTE_ADDR=address)
    client.post("/login/", {"username": email, "password": PASSWORD})
    return client


@pytest.fixture
def both(tenant, browser, person):
    person(tenant, "ann@acme.example", "owner")
    return signed_in(browser, tenant, FIREFOX), signed_in(browser, tenant, SAFARI, "198.51.100.4")


def test_each_is_listed_with_device_address_and_last_use(both):
    page = both[0].get("/account/").content.decode()
    assert "Firefox on Windows" in page and "192.0.2.7" in page and "this browser" in page
    assert "Safari on iPhone" in page and "198.51.100.4" in page and "last seen" in page


def test_one_is_ended_and_the_others_stay(both):
    here, there = both
    other = next(login for login in here.get("/account/").context["logins"] if not login.current)
    assert here.post(f"/account/sign-ins/{other.id}/end").status_code == 302
    assert there.get("/account/").status_code == 302 and here.get("/account/").status_code == 200


def test_all_others_are_ended(tenant, browser, both):
    here, there = both
    third = signed_in(browser, tenant, "curl/8.5")
    here.post("/account/sign-ins/end-others")
    assert here.get("/account/").status_code == 200
    assert [client.get("/account/").status_code for client in (there, third)] == [302, 302]
    assert UserSession.objects.count() == 1


def test_nobody_ends_somebody_elses(tenant, rival, browser, person, both):
    person(rival, "eve@rival.example", "owner")
    eve = signed_in(browser, rival, FIREFOX, email="eve@rival.example")
    login = both[0].get("/account/").context["logins"][0]
    assert eve.post(f"/account/sign-ins/{login.id}/end").status_code == 404
    eve.post("/account/sign-ins/end-others")
    assert both[0].get("/account/").status_code == 200
    assert b"192.0.2.7" not in eve.get("/account/", HTTP_USER_AGENT="x").content.replace(
        b"192.0.2.7 \xc2\xb7 signed in", b""
    )


def test_last_use_is_kept_up_to_date_now_and_then(both):
    here = both[0]
    here.get("/account/")
    UserSession.objects.update(last_seen_at=timezone.now() - timedelta(days=2))
    here.get("/account/")
    row = UserSession.objects.get(session_key=here.session.session_key)
    assert timezone.now() - row.last_seen_at > timedelta(days=1), "seen a moment ago: nothing is written"
    session = here.session
    session["antecedent_seen_at"] -= 3600
    session.save()
    here.get("/account/")
    row.refresh_from_db()
    assert timezone.now() - row.last_seen_at < timedelta(minutes=5)


def test_who_is_not_of_this_tenant_has_no_account_page_here(tenant, rival, browser, both):
    assert both[0].get("/account/", SCRIPT_NAME="/t/rival").headers["Location"].startswith("/t/")
    assert browser(tenant).get("/account/").status_code == 302


def test_the_name_is_changed(both):
    both[0].post("/account/name", {"name": "  Ann \0 Example "})
    assert b"Ann Example" in both[0].get("/account/").content


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        (FIREFOX, "Firefox on Windows"),
        (SAFARI, "Safari on iPhone"),
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36", "Chrome on Linux"),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 15_5) AppleWebKit/537.36 Chrome/140 Safari/537.36 Edg/140.0",
            "Edge on macOS",
        ),
        (
            "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 SamsungBrowser/28.0 Chrome/130 Mobile Safari/537.36",
            "Samsung Internet on Android",
        ),
        ("python-httpx/0.28", "python-httpx"),
        ("", "Unknown browser"),
    ],
)
def test_a_browser_is_named_as_people_know_it(agent, device):
    assert device_of(agent) == device
