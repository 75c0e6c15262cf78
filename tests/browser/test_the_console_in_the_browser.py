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


def test_a_note_that_is_too_long_is_counted_and_refused_instead_of_cut(page: Page, console):
    page.goto(f"{console}policy/")
    page.get_by_role("button", name="New draft").click()
    note = page.get_by_role("textbox", name="What is new in this version")
    note.fill("a" * 320)
    expect(page.get_by_text("320 of 300 characters: 20 too many")).to_be_visible()
    expect(note).to_have_value("a" * 320)
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_role("alert")).to_contain_text(
        "Not saved. A note may have 300 characters, this has 320."
    )
    expect(note).to_have_value("a" * 320)
    note.fill("a" * 300)
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_role("status").first).to_contain_text("is saved")


def test_a_turn_goes_to_a_set_that_is_chosen_or_named(page: Page, console):
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".turn")).to_have_count(0)
    ask(page, "What is the RPO in Frankfurt?")
    answered(page, 1)
    page.goto(f"{console}conversations/{page.url.split('#')[1]}/")
    asks = page.locator("#turn-1 details.to-set")
    for name in ("Nights", "Days"):
        asks.locator("summary").click()
        asks.get_by_role("textbox", name="Name of the new set").fill(name)
        expect(asks.get_by_role("radio", name="A new one")).to_be_checked()
        asks.get_by_role("button", name="Add turn").click()
        expect(page.get_by_role("status").first).to_contain_text(f"It is an item of “{name}” now")
        page.go_back()
    page.reload()
    asks.locator("summary").click()
    asks.get_by_role("radio", name="Nights").check()
    page.keyboard.press("Escape")
    expect(asks.get_by_role("radio", name="Nights")).to_be_hidden()
