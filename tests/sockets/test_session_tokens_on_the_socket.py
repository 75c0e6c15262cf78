"""A socket opened with a session token: checked when it connects and before every command."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest

from conversations.services.adoption import sessions_adopt
from kernel.clock import now
from tenants.devices import device_token
from tenants.scoping import tenant_scope
from tenants.services import end_user_for_device, session_tokens
from tenants.services.identities import identity_accept, identity_key_revoke
from tenants.services.session_tokens import session_token_issue
from tenants.services.widget_keys import widget_key_create, widget_key_revoke
from tenants.threads import in_thread
from tests.integration.conversations.conftest import library  # noqa: F401
from tests.integration.tenants.signing import claims, signer
from tests.sockets.tab import opened_tab

pytestmark = pytest.mark.django_db(transaction=True)
SIGN_IN_AGAIN, NO_ACCESS, FETCH_A_TOKEN = 4401, 4403, 4408


@pytest.fixture
def widget(tenant):
    with tenant_scope(tenant.pk):
        return widget_key_create(name="Shop")


async def token_of(tenant, widget, device="one"):
    def issued():
        return session_token_issue(end_user=end_user_for_device(device=device), widget_key=widget).text

    with tenant_scope(tenant.pk):
        return await in_thread(issued)


def known(tenant):
    return identity_accept(token=signer().sign(claims(tenant)))


def tab_with(token, path="/t/acme/ws/chat/", cookie=""):
    return opened_tab(path, cookie=cookie, subprotocols=("antecedent", f"token.{token}"))


async def ready(tab):
    await tab.send_frame({"type": "ping"})
    assert (await tab.frame())["type"] == "pong"


async def closed(tab):
    message = await tab.receive_output(10)
    assert message["type"] == "websocket.close", message
    return message["code"]


async def asked(tab, text, session=None):
    await tab.send_frame({"type": "ask", "session": session, "id": str(uuid4()), "text": text})
    return (await tab.until("turn.completed"))[-1]


async def test_a_frame_chats_with_its_token(library, tenant, widget):  # noqa: F811
    async with tab_with(await token_of(tenant, widget)) as tab:
        assert "5 minutes" in (await asked(tab, "What is the RPO in Frankfurt?"))["answer"]


async def test_two_people_at_once_get_each_their_own(library, tenant, widget):  # noqa: F811
    async with (
        tab_with(await token_of(tenant, widget, "one")) as one,
        tab_with(await token_of(tenant, widget, "two")) as two,
    ):
        first, second = await asyncio.gather(
            asked(one, "What is the RPO in Frankfurt?"), asked(two, "What does a customer-managed key cost?")
        )
        assert "5 minutes" in first["answer"] and "3 euros" in second["answer"]
        assert first["session"] != second["session"]
        for tab, theirs in ((one, second), (two, first)):
            await tab.send_frame({"type": "open", "session": theirs["session"], "after": 0})
            assert (await tab.until("error"))[-1]["code"] == "session_not_found"


async def test_a_session_id_from_a_log_opens_nothing_on_any_command(library, tenant, widget):  # noqa: F811
    async with tab_with(await token_of(tenant, widget, "one")) as mine:
        done = await asked(mine, "What is the RPO in Frankfurt?")
    async with tab_with(await token_of(tenant, widget, "two")) as other:
        for frame in (
            {"type": "open", "session": done["session"], "after": 0},
            {"type": "ask", "session": done["session"], "id": str(uuid4()), "text": "and in Dublin?"},
            {"type": "stop", "turn": done["turn"]},
            {"type": "rate", "turn": done["turn"], "rating": "up"},
            {"type": "retry", "turn": done["turn"], "id": str(uuid4())},
        ):
            await other.send_frame(frame)
            assert (await other.frame())["code"] in {"session_not_found", "turn_not_found"}


@pytest.mark.parametrize(
    "forge",
    [
        lambda t: "st_forged",
        lambda t: t[:-1],
        lambda t: t + ".x",
        lambda t: "",
        lambda t: t.removeprefix("st_"),
    ],
)
async def test_a_forged_token_is_sent_away_even_beside_a_good_cookie(tenant, widget, forge):
    cookie = f"antecedent_device={device_token(tenant.pk, 'one')}"
    async with tab_with(forge(await token_of(tenant, widget)), cookie=cookie) as tab:
        assert await closed(tab) == SIGN_IN_AGAIN


async def test_two_tokens_at_once_are_refused(tenant, widget):
    tokens = [await token_of(tenant, widget, device) for device in ("one", "two")]
    offered = ("antecedent", *(f"token.{token}" for token in tokens))
    async with opened_tab(subprotocols=offered) as tab:
        assert await closed(tab) == SIGN_IN_AGAIN


async def test_a_token_means_nothing_at_the_rivals_address(tenant, rival, widget):
    async with tab_with(await token_of(tenant, widget), "/t/rival/ws/chat/") as tab:
        assert await closed(tab) == SIGN_IN_AGAIN


async def test_a_revoked_widget_refuses_the_next_command(tenant, widget):
    async with tab_with(await token_of(tenant, widget)) as tab:
        await ready(tab)
        with tenant_scope(tenant.pk):
            await in_thread(widget_key_revoke, key_id=widget.pk)
        await tab.send_frame({"type": "ask", "session": None, "id": str(uuid4()), "text": "What is the RPO?"})
        assert await closed(tab) == NO_ACCESS
    async with tab_with(await token_of(tenant, widget)) as tab:
        assert await closed(tab) == NO_ACCESS


async def test_a_revoked_identity_key_refuses_the_next_command(tenant, widget):
    with tenant_scope(tenant.pk):
        identity = await in_thread(known, tenant)
        token = session_token_issue(
            end_user=identity.end_user, widget_key=widget, identity_key=identity.key
        ).text
        async with tab_with(token) as tab:
            await ready(tab)
            await in_thread(identity_key_revoke, key_id=identity.key.pk)
            await tab.send_frame({"type": "open", "session": None, "after": 0})
            assert await closed(tab) == SIGN_IN_AGAIN


async def test_an_expired_token_sends_the_tab_for_a_new_one(tenant, widget, monkeypatch):
    token = await token_of(tenant, widget)
    async with tab_with(token) as tab:
        await ready(tab)
        late = now() + timedelta(minutes=61)
        monkeypatch.setattr(session_tokens, "now", lambda: late)
        await tab.send_frame({"type": "ping"})
        assert await closed(tab) == FETCH_A_TOKEN
    async with tab_with(token) as tab:
        assert await closed(tab) == FETCH_A_TOKEN


async def test_a_tab_goes_on_with_a_fresh_token(tenant, widget, monkeypatch):
    async with tab_with(await token_of(tenant, widget)) as tab:
        await ready(tab)
        late = now() + timedelta(minutes=61)
        monkeypatch.setattr(session_tokens, "now", lambda: late)
        await tab.send_frame({"type": "renew", "token": await token_of(tenant, widget)})
        assert (await tab.frame())["type"] == "renewed"
        await ready(tab)


async def test_a_tab_cannot_become_somebody_else_or_another_widget(tenant, widget):
    with tenant_scope(tenant.pk):
        other = await in_thread(widget_key_create, name="Other")
    async with tab_with(await token_of(tenant, widget, "one")) as tab:
        for token in (
            await token_of(tenant, widget, "two"),
            await token_of(tenant, other, "one"),
            "st_forged",
            "x",
        ):
            await tab.send_frame({"type": "renew", "token": token})
            assert (await tab.frame())["code"] == "session_token_refused"
        await ready(tab)
    async with opened_tab(cookie=f"antecedent_device={device_token(tenant.pk, 'one')}") as tab:
        await tab.send_frame({"type": "renew", "token": await token_of(tenant, widget, "one")})
        assert (await tab.frame())["code"] == "session_token_refused"


async def test_a_visitors_tab_is_sent_away_when_its_chat_becomes_somebodys(library, tenant, widget):  # noqa: F811
    async with tab_with(await token_of(tenant, widget)) as tab:
        await asked(tab, "What is the RPO in Frankfurt?")
        with tenant_scope(tenant.pk):
            identity = await in_thread(known, tenant)
            moved = await sessions_adopt(
                device_token=device_token(tenant.pk, "one"), end_user=identity.end_user
            )
        assert moved == 1 and await closed(tab) == FETCH_A_TOKEN
