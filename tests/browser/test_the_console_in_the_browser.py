"""What an owner does in the console with what a conversation left behind, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import eventually
from tests.browser.test_a_conversation_in_the_browser import LONG, answered, ask, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def console(page: Page, platform_up) -> str:
    sign_in(page, platform_up, "nimbus", "ingrid@nimbus.example", "nimbus-demo-1")
    return f"{platform_up.url}t/nimbus/console/"


def test_facts_of_a_turn_open_from_the_axis_by_keyboard(page: Page, platform_up, console):
    page.get_by_role("button", name="New conversation").click()  # other tests may have left one
    expect(page.locator(".turn")).to_have_count(0)
    ask(page, "What is the RPO in Frankfurt?")
    answered(page, 1)
    ask(page, "and for Dublin?")
    answered(page, 2)
    newest = "select id from conversations_session order by created_at desc limit 1"
    [(session,)] = platform_up.rows(newest)
    stated = "select 1 from conversations_ledgerfact where session_id = %s and turn = 2"
    eventually(lambda: platform_up.rows(stated, session))

    page.goto(f"{console}conversations/{session}/")
    count = page.get_by_role("link", name="Turn 2:").and_(page.locator(".mm-count"))
    count.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#facts-2")).to_be_in_viewport(timeout=LONG)
    page.locator("#facts-2 td").first.get_by_role("link").click()
    expect(page.locator("#turn-2")).to_be_in_viewport(timeout=LONG)
    expect(page.locator("#turn-2").get_by_text("Added from memory")).to_be_visible()


def test_retention_is_changed_and_changed_back(page: Page, platform_up, console):
    page.goto(f"{console}data/")
    page.get_by_role("spinbutton", name="Days").fill("3650")  # typing a number chooses it
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("kept for 3650 days", timeout=LONG)
    page.locator("[name=mode][value=keep]").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("kept until somebody deletes them", timeout=LONG)
