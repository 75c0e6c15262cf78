"""A forgotten password: a link by mail, which tells nobody whether there is an account."""

from __future__ import annotations

import pytest

from tenants.models import User
from tests.api.conftest import PASSWORD
from tests.api.signing import fresh, letters, link_in  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh")]
NEW = "an entirely new phrase"


def asked(client, email):
    return client.post("/account/password/reset/", {"email": email})


def followed(client, link):
    """The page with the form, after the redirect that takes the key out of the address."""
    return client.get(client.get(link).headers["Location"].removeprefix("/t/acme"))


def set_anew(client, link, password=NEW):
    page = followed(client, link)
    action = page.context["action_url"].removeprefix("/t/acme")
    return client.post(action, {"password1": password, "password2": password})


def test_the_password_is_set_anew_and_other_logins_end(tenant, browser, person, letters):  # noqa: F811
    person(tenant, "ann@acme.example", "owner")
    elsewhere, here = browser(tenant), browser(tenant)
    elsewhere.post("/login/", {"username": "ann@acme.example", "password": PASSWORD})
    assert elsewhere.get("/console/", HTTP_ACCEPT="text/html").status_code == 200
    asked(here, "Ann@acme.example")
    assert set_anew(here, link_in(letters[-1])).headers["Location"].endswith("/account/password/reset/done/")
    assert elsewhere.get("/console/", HTTP_ACCEPT="text/html").status_code == 302
    for password, where in ((PASSWORD, None), (NEW, "/t/acme/chat/")):
        answer = here.post("/login/", {"username": "ann@acme.example", "password": password})
        assert answer.headers.get("Location") == where
    assert "was changed" in letters[-1].body


def test_known_and_unknown_addresses_get_the_same_answer(tenant, rival, browser, person, letters):  # noqa: F811
    person(tenant, "ann@acme.example")
    person(rival, "eve@rival.example", "owner")
    pages = {
        email: asked(browser(tenant), email)
        for email in ("ann@acme.example", "no@acme.example", "eve@rival.example")
    }
    texts = {
        page.content.decode().replace(email, "…").replace(email.replace("@", "%40"), "…")
        for email, page in pages.items()
    }
    assert len(texts) == 1
    assert [letter.to for letter in letters] == [["ann@acme.example"]]


def test_the_work_in_the_request_is_the_same_for_every_address(
    tenant, browser, person, monkeypatch, django_assert_num_queries
):
    """What is done depends on nothing that is known of the address: it is handed to the background as it is."""
    from tenants import mail_tasks

    person(tenant, "ann@acme.example")
    queued = []
    monkeypatch.setattr(mail_tasks.password_reset_mail, "delay_on_commit", lambda *args: queued.append(args))
    counts = []
    for email in ("ann@acme.example", "no@acme.example"):
        client = browser(tenant)
        with django_assert_num_queries(1):  # the tenant
            asked(client, email)
        counts.append(len(queued))
    assert counts == [1, 2] and {args[1] for args in queued} == {"ann@acme.example", "no@acme.example"}


def test_a_link_works_once(tenant, browser, person, letters):  # noqa: F811
    person(tenant, "ann@acme.example")
    asked(browser(tenant), "ann@acme.example")
    link = link_in(letters[-1])
    set_anew(browser(tenant), link)
    assert b"no longer works" in browser(tenant).get(link).content


def test_a_forged_link_does_not_work(tenant, browser, person, letters):  # noqa: F811
    person(tenant, "ann@acme.example")
    asked(browser(tenant), "ann@acme.example")
    link = link_in(letters[-1])
    for forged in (link[:-3] + "0/", link.replace("/reset/", "/reset/1"), "/account/password/reset/1-abc/"):
        assert b"no longer works" in browser(tenant).get(forged).content
    assert User.objects.get(email="ann@acme.example").check_password(PASSWORD)


def test_a_weak_password_is_not_taken(tenant, browser, person, letters):  # noqa: F811
    person(tenant, "ann@acme.example")
    asked(browser(tenant), "ann@acme.example")
    page = set_anew(browser(tenant), link_in(letters[-1]), "short")
    assert page.status_code == 200 and b"aria-invalid" in page.content
    assert User.objects.get(email="ann@acme.example").check_password(PASSWORD)


def test_asking_often_has_to_wait_whoever_it_is(tenant, browser, person, letters):  # noqa: F811
    person(tenant, "ann@acme.example")
    for email in ("ann@acme.example", "no@acme.example"):
        answers = [asked(browser(tenant), email) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert b"Please wait 60 minutes" in answers[-1].content
    assert len(letters) == 3


def test_the_links_address_can_be_fixed(tenant, browser, person, letters, settings):  # noqa: F811
    settings.PUBLIC_URL = "https://chat.example"
    person(tenant, "ann@acme.example")
    client = browser(tenant, HTTP_HOST="evil.example")
    asked(client, "ann@acme.example")
    assert "https://chat.example/t/acme/account/" in letters[-1].body and "evil" not in letters[-1].body


def test_changing_it_needs_the_old_one_and_keeps_this_login(tenant, browser, person, letters):  # noqa: F811
    person(tenant, "ann@acme.example", "owner")
    here, elsewhere = browser(tenant), browser(tenant)
    for client in (here, elsewhere):
        client.post("/login/", {"username": "ann@acme.example", "password": PASSWORD})
    form = {"oldpassword": "wrong", "password1": NEW, "password2": NEW}
    assert here.post("/account/password/", form).status_code == 200
    assert (
        here.post("/account/password/", {**form, "oldpassword": PASSWORD}).headers["Location"]
        == "/t/acme/account/"
    )
    assert here.get("/account/").status_code == 200
    assert elsewhere.get("/account/").status_code == 302
