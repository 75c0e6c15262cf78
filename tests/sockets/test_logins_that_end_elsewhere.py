"""Sockets of logins that end somewhere else: another browser, a new password, another tenant's provider."""

from __future__ import annotations

import pytest
from allauth.usersessions.models import UserSession

from tenants.logins import LIMIT_KEY, LoginLimit
from tenants.models import Membership, User
from tenants.scoping import tenant_scope
from tenants.services.members import member_remove
from tenants.threads import in_thread
from tests.api.conftest import PASSWORD, browser, person  # noqa: F401
from tests.sockets.tab import opened_tab
from tests.sockets.test_a_login_that_ends import closed, cookie_of, ready

pytestmark = pytest.mark.django_db(transaction=True)
NEW = "an entirely new phrase"


@pytest.fixture
def two(tenant, browser, person):  # noqa: F811
    """One person at two browsers."""
    person(tenant, "ann@acme.example", "editor")
    clients = browser(tenant), browser(tenant)
    for client in clients:
        client.post("/login/", {"username": "ann@acme.example", "password": PASSWORD})
    return clients


async def test_a_new_password_closes_the_tabs_of_other_browsers(two):
    here, there = two
    async with opened_tab(cookie=cookie_of(there)) as tab:
        await ready(tab)
        form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
        assert (await in_thread(here.post, "/account/password/", form)).status_code == 302
        assert await closed(tab) == 4401


async def test_signing_out_another_browser_closes_its_tabs_and_leaves_ours(two):
    here, there = two
    async with opened_tab(cookie=cookie_of(there)) as theirs, opened_tab(cookie=cookie_of(here)) as ours:
        await ready(theirs)
        await ready(ours)
        key = there.cookies["antecedent_session"].value
        row = await in_thread(UserSession.objects.get, session_key=key)
        await in_thread(here.post, f"/account/sign-ins/{row.pk}/end")
        assert await closed(theirs) == 4401
        await ready(ours)


async def test_a_removed_member_is_sent_away_from_open_tabs(two, tenant):
    def removed() -> None:
        with tenant_scope(tenant.id):
            from tenants.services import membership_set

            owner = membership_set(user=User.objects.create_user("o@acme.example", PASSWORD), role="owner")
            ann = Membership.objects.get(user__email="ann@acme.example")
            member_remove(membership_id=ann.pk, by=owner)

    async with opened_tab(cookie=cookie_of(two[0])) as tab:
        await ready(tab)
        await in_thread(removed)
        assert await closed(tab) == 4401


async def test_a_login_through_one_tenants_provider_opens_no_socket_as_that_person_at_another(
    two, tenant, rival
):
    """The person belongs to both; the provider speaks for the first tenant only."""

    def limited() -> str:
        with tenant_scope(rival.id):
            from tenants.services import end_user_for_account

            end_user_for_account(user=User.objects.get(email="ann@acme.example"))
        session = two[0].session
        session[LIMIT_KEY] = LoginLimit(tenant.id, tenant.id).as_dict()
        session.save()
        rival.anonymous_chat = False
        rival.save()
        return cookie_of(two[0])

    cookie = await in_thread(limited)
    async with opened_tab(cookie=cookie) as tab:
        await ready(tab)
    async with opened_tab("/t/rival/ws/chat/", cookie=cookie) as tab:
        assert await closed(tab) == 4401
