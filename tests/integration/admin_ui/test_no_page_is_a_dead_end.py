"""Whatever a member of the console meets, the page says it with a code and leads on; a form's sender comes back to the form."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client

from tests.integration.admin_ui.conftest import Console

pytestmark = pytest.mark.django_db
HOST = "http://testserver"


def ways_of(answer):
    """The titles and addresses of the buttons of an error's page."""
    return {way.title: way.address for way in answer.context["ways"]}


@pytest.mark.parametrize(
    ("role", "path", "status", "code"),
    [
        ("editor", "keys/", 403, "forbidden"),
        ("owner", "nowhere/", 404, "not_found"),
        ("owner", "policy/99/", 404, "not_found"),
        ("owner", "keys/new", 405, "method_not_allowed"),
    ],
)
def test_a_member_is_led_back_to_the_console(scoped, browser, role, path, status, code):
    answer = browser(scoped, role).get(path)
    assert answer.status_code == status
    assert code in answer.content.decode()
    assert ways_of(answer) == {
        "To the console": f"/t/{scoped.slug}/console/",
        "To the chat": f"/t/{scoped.slug}/chat/",
    }


def test_a_method_that_a_page_does_not_know_is_told_alike_where_requests_are_served_side_by_side(
    scoped, browser
):
    prefix = f"/t/{scoped.slug}"
    web = AsyncClient(root_path=prefix)
    web.cookies = browser(scoped, "owner").client.cookies
    answer = async_to_sync(web.get)(f"{prefix}/console/keys/new", headers={"Accept": "text/html"})
    assert answer.status_code == 405 and "method_not_allowed" in answer.content.decode()
    assert "POST" in answer.headers["Allow"] and "Content-Security-Policy" in answer.headers
    assert list(ways_of(answer)) == ["To the console", "To the chat"]


def test_a_stranger_is_led_to_the_chat_alone(scoped, rival, browser):
    answer = browser(scoped, "owner", member_of=rival).get()
    assert answer.status_code == 403
    assert list(ways_of(answer)) == ["To the chat"]


def test_a_form_of_before_signing_in_anew_is_told_and_leads_back(scoped, browser):
    owner = browser(scoped, "owner")
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = owner.client.cookies
    form = f"/t/{scoped.slug}/console/access/?part=corpora"
    answer = Console(strict, scoped.slug).post(
        "access/corpora/", {"name": "Wards", "csrfmiddlewaretoken": "a" * 64}, HTTP_REFERER=HOST + form
    )
    assert answer.status_code == 403
    assert "page_out_of_date" in answer.content.decode()
    assert next(iter(ways_of(answer).items())) == ("Back to the page", form)


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/t/x/console/", "javascript:alert(1)", "//evil.example/", ""]
)
def test_nobody_is_led_to_another_site(scoped, browser, elsewhere):
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = browser(scoped, "owner").client.cookies
    answer = Console(strict, scoped.slug).post("access/corpora/", {"name": "Wards"}, HTTP_REFERER=elsewhere)
    assert answer.status_code == 403
    assert next(iter(ways_of(answer))) == "To the console"


def test_who_was_signed_out_meanwhile_comes_back_to_the_form_and_not_to_where_it_was_sent(scoped, browser):
    signed_out = browser(scoped)
    form = f"/t/{scoped.slug}/console/keys/"
    answer = signed_out.post("keys/new", {"name": "Import"}, HTTP_REFERER=HOST + form)
    assert parse_qs(urlsplit(answer.headers["Location"]).query) == {"next": [form]}
    answer = signed_out.post("keys/new", {"name": "Import"})
    assert parse_qs(urlsplit(answer.headers["Location"]).query) == {"next": [f"/t/{scoped.slug}/console/"]}
    answer = signed_out.get("keys/?page=2")
    assert parse_qs(urlsplit(answer.headers["Location"]).query) == {"next": [f"{form}?page=2"]}


def test_programs_read_the_same_as_json(scoped, browser):
    answer = browser(scoped, "owner").get("keys/new", HTTP_ACCEPT="application/json")
    assert answer.status_code == 405 and answer.json()["error"]["code"] == "method_not_allowed"
    assert "POST" in answer.headers["Allow"]
