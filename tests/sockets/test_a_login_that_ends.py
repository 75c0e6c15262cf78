"""A socket ends with the login that opened it: no open tab answers for somebody who has signed out."""

from __future__ import annotations

import pytest
from django.test import Client

from tenants.models import Tenant, User
from tenants.threads import in_thread
from tests.api.conftest import PASSWORD, browser, person  # noqa: F401
from tests.sockets.tab import opened_tab

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ann(tenant, browser, person) -> Client:  # noqa: F811
    person(tenant, "ann@acme.example")
    client = browser(tenant)
    client.post("/login/", {"username": "ann@acme.example", "password": PASSWORD})
    return client


def cookie_of(client: Client) -> str:
    return "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())


async def closed(tab) -> int:
    message = await tab.receive_output(10)
    assert message["type"] == "websocket.close", message
    return message["code"]


async def ready(tab) -> None:
    await tab.send_frame({"type": "ping"})
    assert (await tab.frame())["type"] == "pong"


async def test_signing_out_closes_the_tabs_of_that_login(ann):
    async with opened_tab(cookie=cookie_of(ann)) as tab:
        await ready(tab)
        await in_thread(ann.post, "/logout/")
        assert await closed(tab) == 4401


async def test_signing_out_at_one_browser_leaves_the_other_alone(ann, tenant, browser):  # noqa: F811
    other = browser(tenant)
    await in_thread(other.post, "/login/", {"username": "ann@acme.example", "password": PASSWORD})
    async with opened_tab(cookie=cookie_of(other)) as tab:
        await ready(tab)
        await in_thread(ann.post, "/logout/")
        await ready(tab)


@pytest.mark.parametrize(
    "change",
    [
        lambda: User.objects.filter(email="ann@acme.example").update(is_active=False),
        lambda: User.objects.filter(email="ann@acme.example").update(password="changed"),
    ],
    ids=["locked", "password changed"],
)
async def test_a_command_is_refused_once_the_login_no_longer_counts(ann, change):
    async with opened_tab(cookie=cookie_of(ann)) as tab:
        await ready(tab)
        await in_thread(change)
        await tab.send_frame({"type": "open", "session": None, "after": 0})
        assert await closed(tab) == 4401


async def test_a_member_without_the_second_factor_that_is_asked_for_gets_no_socket(tenant, browser, person):  # noqa: F811
    await in_thread(person, tenant, "eve@acme.example", "analyst")
    client = browser(tenant)
    await in_thread(client.post, "/login/", {"username": "eve@acme.example", "password": PASSWORD})
    async with opened_tab(cookie=cookie_of(client)) as tab:
        await ready(tab)
    await in_thread(Tenant.objects.filter(pk=tenant.pk).update, two_factor_required=True)
    async with opened_tab(cookie=cookie_of(client)) as tab:
        assert await closed(tab) == 4401
