"""An open tab that says nothing is closed as soon as what let it in has changed, and nobody else's tab is.

Whatever lets somebody in is a ground with one bell (`tenants.standing`); what rings none is seen when it is due.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from allauth.mfa.models import Authenticator

from conversations import consumers
from conversations.services.retention import session_erase
from kernel.clock import now
from tenants.devices import device_token
from tenants.models import EndUser, Membership, Tenant, User, WidgetKey
from tenants.scoping import tenant_scope
from tenants.services import end_user_for_device, membership_set, session_tokens
from tenants.services.erasing import tenant_erase_request
from tenants.services.erasing_tenant import end_user_remove
from tenants.services.identities import identity_accept, identity_key_revoke
from tenants.services.members import two_factor_require
from tenants.services.session_tokens import session_token_issue
from tenants.services.support import support_enter, support_leave
from tenants.services.widget_keys import widget_key_create, widget_key_revoke, widget_key_visitors_set
from tenants.services.workspace import workspace_update
from tenants.threads import in_thread
from tests.api.conftest import PASSWORD, browser, person  # noqa: F401
from tests.integration.conversations.conftest import library  # noqa: F401
from tests.integration.tenants.signing import claims, signer
from tests.sockets.tab import opened_tab
from tests.sockets.test_a_login_that_ends import closed, cookie_of, ready

pytestmark = pytest.mark.django_db(transaction=True)
SIGN_IN_AGAIN, NO_ACCESS, FETCH_A_TOKEN = 4401, 4403, 4408


@pytest.fixture
def signed_in(tenant, browser, person):  # noqa: F811
    """Ann, an analyst, and the cookie of her browser. Olga owns the workspace."""
    for email, role in (("ann@acme.example", "analyst"), ("olga@acme.example", "owner")):
        person(tenant, email, role)
    client = browser(tenant)
    client.post("/login/", {"username": "ann@acme.example", "password": PASSWORD})
    return cookie_of(client)


@pytest.fixture
def looks_often(monkeypatch):
    """Every fifth of a second instead of twice a minute."""
    monkeypatch.setattr(consumers, "LOOK_SECONDS", 0.2)


@pytest.fixture
def widget(tenant):
    with tenant_scope(tenant.pk):
        return widget_key_create(name="Shop")


def token_tab(token):
    return opened_tab(subprotocols=("antecedent", f"token.{token}"))


def visitor_cookie(tenant, device="one"):
    return f"antecedent_device={device_token(tenant.pk, device)}"


async def within(tenant, change: Callable[[], object]) -> None:
    """A change of the workspace, as one of its pages or programs makes it."""

    def made():
        with tenant_scope(tenant.pk):
            change()

    await in_thread(made)


def ann() -> User:
    return User.objects.get(email="ann@acme.example")


def olga() -> Membership:
    return Membership.objects.get(user__email="olga@acme.example")


async def test_a_member_without_the_second_factor_that_is_asked_for_from_now_on(tenant, rival, signed_in):
    other = visitor_cookie(rival)
    async with (
        opened_tab(cookie=signed_in) as tab,
        opened_tab(cookie=visitor_cookie(tenant)) as visitor,
        opened_tab("/t/rival/ws/chat/", cookie=other) as theirs,
    ):
        await ready(tab)
        await within(tenant, lambda: two_factor_require(required=True, by=olga()))
        assert await closed(tab) == SIGN_IN_AGAIN
        await ready(visitor)
        await ready(theirs)


async def test_a_token_of_the_hosted_page_needs_the_second_factor_too(tenant, signed_in):
    login = signed_in.split("antecedent_session=")[1].split(";")[0]

    def issued():
        with tenant_scope(tenant.pk):
            end_user = EndUser.objects.get(user=ann())
            return session_token_issue(end_user=end_user, login=login).text

    offered = ("antecedent", f"token.{await in_thread(issued)}")
    async with opened_tab(cookie=signed_in, subprotocols=offered) as tab:
        await ready(tab)
        await within(tenant, lambda: two_factor_require(required=True, by=olga()))
        assert await closed(tab) == SIGN_IN_AGAIN
    async with opened_tab(cookie=signed_in, subprotocols=offered) as tab:
        assert await closed(tab) == SIGN_IN_AGAIN


async def test_another_role_leaves_the_tab_open_and_holds_for_the_next_question(library, tenant, signed_in):  # noqa: F811
    """What somebody may read is looked up with each question, so there is nothing to close."""
    async with opened_tab(cookie=signed_in) as tab:
        await ready(tab)
        await within(tenant, lambda: membership_set(user=ann(), role="editor"))
        await ready(tab)
        ask = {"type": "ask", "session": None, "id": str(uuid4()), "text": "What is the RPO in Frankfurt?"}
        await tab.send_frame(ask)
        assert (await tab.until("turn.completed"))[-1]["answer"]


@pytest.mark.parametrize(
    "change",
    [
        lambda: Authenticator.objects.all().delete(),
        lambda: User.objects.filter(email="ann@acme.example").update(password="changed"),
        lambda: User.objects.filter(email="ann@acme.example").update(is_active=False),
        lambda: EndUser.objects.filter(user=ann()).update(user=None),
    ],
    ids=["second factor removed", "password changed by hand", "locked by hand", "no longer this person"],
)
async def test_what_rings_no_bell_is_seen_all_the_same(tenant, signed_in, looks_often, change):
    def asked_for():
        Authenticator.objects.create(user=ann(), type=Authenticator.Type.TOTP, data={})
        Tenant.objects.filter(pk=tenant.pk).update(two_factor_required=True)

    await in_thread(asked_for)
    async with opened_tab(cookie=signed_in) as tab:
        await ready(tab)
        await within(tenant, change)
        assert await closed(tab) == SIGN_IN_AGAIN


@pytest.fixture
def visiting(tenant, browser, person):  # noqa: F811
    """A member of staff on a support visit, and the cookie of their browser."""

    def entered(minutes=15):
        staff = User.objects.create_user("sue@platform.example", PASSWORD, is_staff=True)
        support_enter(tenant_id=tenant.pk, by=staff, role="analyst", minutes=minutes, reason="Ticket 7")
        client = browser(tenant)
        client.force_login(staff)
        return staff, cookie_of(client)

    return entered


async def test_a_support_visit_that_is_ended(tenant, visiting):
    staff, cookie = await in_thread(visiting)
    async with opened_tab(cookie=cookie) as tab:
        await ready(tab)
        await within(tenant, lambda: support_leave(user=staff))
        assert await closed(tab) == SIGN_IN_AGAIN


async def test_a_support_visit_whose_time_is_over(tenant, visiting, monkeypatch):
    """The tab closes at the moment that was foreseen, before anything has swept the visit away."""
    _, cookie = await in_thread(visiting)
    soon = now() + timedelta(seconds=2)
    await within(tenant, lambda: Membership.objects.filter(reason="Ticket 7").update(until=soon))
    async with opened_tab(cookie=cookie) as tab:
        assert await closed(tab) == SIGN_IN_AGAIN
    async with opened_tab(cookie=cookie) as again:
        assert await closed(again) == SIGN_IN_AGAIN


VISITORS_END = [
    pytest.param(lambda tenant: workspace_update(anonymous_chat=False), SIGN_IN_AGAIN, id="members only now"),
    pytest.param(
        lambda tenant: end_user_remove(EndUser.objects.get().pk, lambda counts: None),
        SIGN_IN_AGAIN,
        id="erased",
    ),
    pytest.param(
        lambda tenant: tenant_erase_request(tenant_id=tenant.pk), NO_ACCESS, id="workspace being erased"
    ),
]


@pytest.mark.parametrize(("change", "code"), VISITORS_END)
async def test_a_visitor_on_our_own_page(tenant, rival, change, code):
    async with (
        opened_tab(cookie=visitor_cookie(tenant)) as tab,
        opened_tab("/t/rival/ws/chat/", cookie=visitor_cookie(rival)) as theirs,
    ):
        await ready(tab)
        await within(tenant, lambda: change(tenant))
        assert await closed(tab) == code
        await ready(theirs)


WIDGETS_END = [
    pytest.param(widget_key_revoke, {}, NO_ACCESS, id="revoked"),
    pytest.param(
        widget_key_visitors_set,
        {"identified_only": True, "one_time_identities": False},
        SIGN_IN_AGAIN,
        id="known people only",
    ),
]


@pytest.mark.parametrize(("change", "fields", "code"), WIDGETS_END)
async def test_a_widget_that_lets_visitors_in_no_longer(tenant, widget, change, fields, code):
    def tokens():
        with tenant_scope(tenant.pk):
            other: WidgetKey = widget_key_create(name="Other")
            visitor = end_user_for_device(device="one")
            return [session_token_issue(end_user=visitor, widget_key=key).text for key in (widget, other)]

    mine, others = await in_thread(tokens)
    async with token_tab(mine) as tab, token_tab(others) as elsewhere:
        await ready(tab)
        await within(tenant, lambda: change(key_id=widget.pk, **fields))
        assert await closed(tab) == code
        await ready(elsewhere)


async def test_the_key_of_an_identity_is_revoked_and_a_renewed_token_hangs_on_the_new_key(tenant, widget):
    """The second key came with a renewal on the open socket: its end is heard as well."""

    def tokens():
        with tenant_scope(tenant.pk):
            known = [identity_accept(token=signer(kid=kid).sign(claims(tenant))) for kid in ("k1", "k2")]
            texts = [
                session_token_issue(end_user=one.end_user, widget_key=widget, identity_key=one.key).text
                for one in known
            ]
            return texts, [one.key.pk for one in known]

    (first, second), keys = await in_thread(tokens)
    async with token_tab(first) as tab, token_tab(first) as stays:
        await ready(tab)
        await tab.send_frame({"type": "renew", "token": second})
        assert (await tab.frame())["type"] == "renewed"
        await within(tenant, lambda: identity_key_revoke(key_id=keys[1]))
        assert await closed(tab) == SIGN_IN_AGAIN
        await ready(stays)


async def test_a_token_that_ends_while_its_tab_is_silent(tenant, widget, monkeypatch):
    monkeypatch.setattr(session_tokens, "LIFE", timedelta(seconds=3))

    def issued():
        with tenant_scope(tenant.pk):
            return session_token_issue(end_user=end_user_for_device(device="one"), widget_key=widget).text

    async with token_tab(await in_thread(issued)) as tab:
        assert await closed(tab) == FETCH_A_TOKEN


async def test_a_conversation_that_is_deleted_leaves_the_tab_and_the_tab_stays(library, tenant):  # noqa: F811
    """The person still counts, so the connection stays; the conversation is gone from the screen and cannot be asked in."""
    async with opened_tab(cookie=visitor_cookie(tenant)) as tab:
        ask = {"type": "ask", "session": None, "id": str(uuid4()), "text": "What is the RPO in Frankfurt?"}
        await tab.send_frame(ask)
        session = (await tab.until("turn.completed"))[-1]["session"]
        with tenant_scope(tenant.pk):
            owner = await in_thread(lambda: EndUser.objects.get(subject="device:one").pk)
            await session_erase(session_id=session, end_user_id=owner)
        await tab.until("session.deleted")
        await tab.send_frame({**ask, "session": session, "id": str(uuid4())})
        assert (await tab.until("error"))[-1]["code"] == "session_not_found"
