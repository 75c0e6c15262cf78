"""A suspended tenant's sockets close at once, at the latest with their next command, and nobody else's do."""

from __future__ import annotations

import pytest

from tenants.models import Tenant
from tenants.services import tenancy
from tenants.services.tenancy import tenant_resume, tenant_suspend
from tenants.threads import in_thread
from tests.api.conftest import browser, person  # noqa: F401
from tests.sockets.tab import opened_tab
from tests.sockets.test_a_login_that_ends import ann, closed, cookie_of, ready  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)
COMMAND = {"type": "open", "session": None, "after": 0}


async def test_suspending_closes_open_sockets_and_lets_no_new_one_in(tenant, rival, ann, browser):  # noqa: F811
    other = browser(rival)
    await in_thread(other.get, "/chat/")
    async with (
        opened_tab(cookie=cookie_of(ann)) as tab,
        opened_tab("/t/rival/ws/chat/", cookie=cookie_of(other)) as theirs,
    ):
        await ready(tab)
        await in_thread(tenant_suspend, tenant_id=tenant.pk, reason="The bill")
        assert await closed(tab) == 4403
        await ready(theirs)
    async with opened_tab(cookie=cookie_of(ann)) as refused:
        assert not isinstance(refused, type(tab))
    await in_thread(tenant_resume, tenant_id=tenant.pk, reason="It is paid")
    async with opened_tab(cookie=cookie_of(ann)) as again:
        await ready(again)


async def test_one_that_did_not_hear_it_is_refused_with_its_next_command(tenant, ann, monkeypatch):  # noqa: F811
    monkeypatch.setattr(tenancy, "standing_changed", lambda *of: None)
    async with opened_tab(cookie=cookie_of(ann)) as tab:
        await ready(tab)
        await in_thread(tenant_suspend, tenant_id=tenant.pk, reason="The bill")
        assert await in_thread(Tenant.objects.filter(suspended_at=None).count) == 0
        await tab.send_frame(COMMAND)
        assert await closed(tab) == 4403
