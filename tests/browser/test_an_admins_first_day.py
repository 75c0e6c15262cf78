"""An admin's first day, in a real browser against the whole platform: from a first document to a policy taken back.

Every step is checked by what the person sees on the page. Where the platform works in the background, the test waits
for the page to say so.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_a_conversation_in_the_browser import LONG, answered, ask, new_conversation, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.slow]
HANDBOOK = """# Ferry handbook of Skellan Sound

## Port Alder

The winter ferry from Port Alder leaves at 06:35. A passenger ticket costs 14.20 euros.

## Port Bryn

The winter ferry from Port Bryn leaves at 07:10. A passenger ticket costs 11.80 euros.

## Bicycles

A bicycle travels on the car deck. It is tied to the rail by the crew and costs 3.50 euros.

## Dogs

Dogs travel on the upper deck on a lead. They travel free of charge.
"""
ASKED = (
    "What does a passenger ticket for the winter ferry from Port Alder cost?",
    "and from Port Bryn?",
    "How does a bicycle travel?",
    "And dogs?",
)
STALE, EVICT = "1", "2"


def test_an_admins_first_day(page: Page, platform_up, tmp_path):
    sign_in(page, platform_up, "nimbus", "tomas@nimbus.example", "nimbus-demo-2")
    console = f"{platform_up.url}t/nimbus/console/"

    page.goto(console)
    uploads_a_handbook_and_watches_it(page, tmp_path / "ferries.md")
    asks_about_it(page, f"{platform_up.url}t/nimbus/chat/")

    page.goto(console)
    finds_the_turn(page)
    sees_why(page.locator("#turn-2"))
    sees_the_slots(page)

    page.goto(console)
    draft = drafts_a_shorter_horizon(page)
    replays_past_turns_under(page, draft)
    publishes_from_the_replay(page, draft)
    restored = rolls_back(page, draft)
    reads_it_all_in_the_audit_log(page, draft, restored)


def in_the_sidebar(page: Page, name: str) -> None:
    """To a page of the console, which has one main part with one heading of the first level."""
    page.get_by_role("navigation", name="Console").get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("main").get_by_role("heading", level=1)).to_have_count(1)


def uploads_a_handbook_and_watches_it(page: Page, file) -> None:
    file.write_text(HANDBOOK)
    in_the_sidebar(page, "Documents")
    page.set_input_files("input[type=file]", str(file))
    page.get_by_role("button", name="Upload", exact=True).click()
    row = page.locator("li[id^=document-]", has_text="ferries.md")
    expect(row).to_be_visible(timeout=LONG)  # while it is worked on
    expect(row).to_contain_text("indexed", timeout=60_000)  # by itself, without a reload
    expect(row).to_contain_text(re.compile(r"\d passages?"))
    row.get_by_role("link").click()
    expect(page.get_by_role("heading", name="Ferry handbook of Skellan Sound")).to_be_visible()
    expect(page.get_by_role("region", name="Passages")).to_contain_text("14.20 euros")


def asks_about_it(page: Page, chat: str) -> None:
    page.goto(chat)
    new_conversation(page)
    for number, message in enumerate(ASKED, 1):
        ask(page, message)
        answered(page, number)
    first, second = (page.locator(".turn").nth(n) for n in (0, 1))
    expect(first).to_contain_text("14.20")
    expect(second).to_contain_text("11.80")
    expect(second).to_contain_text(re.compile("searched for.*ticket.*Port Bryn", re.I | re.S))


def finds_the_turn(page: Page) -> None:
    in_the_sidebar(page, "Conversations")
    page.get_by_role("searchbox").fill("winter ferry from Port Alder")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("region", name="Conversations").get_by_role("link").first.click()
    page.get_by_role("link", name=re.compile("^Turn 2, ")).first.click()  # on the head of the timeline
    expect(page.locator("#turn-2")).to_be_in_viewport(timeout=LONG)


def sees_why(turn: Locator) -> None:
    """Rewrite with its differences, verdict, what was shown, the passages with their scores, and the waterfall."""
    expect(turn).to_contain_text("and from Port Bryn?")
    expect(turn.locator(".searched ins").first).to_contain_text("ticket")
    expect(turn.locator(".chips").first).to_contain_text("clean")

    opened(turn, "Shown to the contextualizer").to_contain_text(ASKED[0])
    opened(turn, "Why follow-up").to_contain_text(re.compile(r"\d\.\d\d"))
    passages = opened(turn, "Passages")
    passages.to_contain_text("Ferry handbook of Skellan Sound")
    passages.to_contain_text(re.compile(r"\d\.\d{4}"))
    expect(turn.get_by_text("cited", exact=True).first).to_be_attached()
    opened(turn, "Time").to_contain_text(re.compile(r"retrieve.*answer", re.S))


def opened(turn: Locator, what: str):
    """What stands in a part of a turn. The link that led to the turn has opened all of them."""
    inside = turn.locator("details", has=turn.page.get_by_text(what, exact=True)).locator(".inside")
    expect(inside).to_be_visible()
    return expect(inside)


def sees_the_slots(page: Page) -> None:
    """A lane of the timeline tells its event to a keyboard as to a pointer."""
    timeline = page.get_by_role("region", name="Slot timeline")
    expect(timeline).to_contain_text("Port Alder")
    event = timeline.locator(".tl-row", has_text="Port Bryn").locator("a.tl-moment").first
    tip = event.get_attribute("aria-label")
    page.mouse.move(0, 0)  # what scrolls under a resting pointer would speak as well
    event.focus()
    expect(timeline.locator("xpath=..").locator("[data-caption]")).to_have_text(str(tip))


def drafts_a_shorter_horizon(page: Page) -> str:
    """The number of a saved draft whose entities go stale and are evicted sooner."""
    in_the_sidebar(page, "Policy")
    page.get_by_role("button", name="New draft").click()
    number = re.search(r"\d+", page.get_by_role("heading", level=1).inner_text())
    assert number
    evicted = page.get_by_label("Evicted after", exact=True)
    evicted.fill("0")
    wrong = page.get_by_text("0 is too small")
    expect(wrong.last).to_be_visible()  # said while typing
    save = page.get_by_role("button", name="Save draft")
    save.click()
    expect(page.get_by_role("status").first).to_contain_text("mend “Evicted after”")
    expect(page.get_by_role("status").first).not_to_contain_text("is saved")
    page.get_by_label("Stale after", exact=True).fill(STALE)
    evicted.fill(EVICT)
    expect(wrong).to_have_count(0)
    page.get_by_role("textbox", name="What is new in this version").fill("Ferries are soon forgotten")
    save.click()
    expect(page.get_by_role("status").first).to_contain_text(f"Draft {number[0]} is saved")
    changes = page.locator(".changes")
    expect(changes).to_contain_text(re.compile(rf"lower: {STALE} turn", re.S))
    expect(changes).to_contain_text(re.compile(rf"lower: {EVICT} turn", re.S))
    return number[0]


def replays_past_turns_under(page: Page, draft: str) -> None:
    page.get_by_role("link", name="Replay past turns under it").click()
    expect(page.locator("#estimate")).to_contain_text(re.compile(r"\d+ turns"), timeout=LONG)
    page.get_by_role("button", name="Replay", exact=True).click()
    expect(page.get_by_role("progressbar").or_(page.locator("#differences")).first).to_be_visible()
    expect(page.get_by_role("heading", name="If you like it")).to_be_visible(timeout=120_000)
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"version {draft}")
    scopes = page.get_by_role("list", name="What changes").get_by_role("listitem").filter(has_text="Scopes")
    scopes.get_by_role("link", name=re.compile("Look at")).click()
    difference = page.locator(".difference").first
    expect(difference).to_contain_text(re.compile("Before.*After", re.S | re.I))
    expect(difference.get_by_text(re.compile("shown otherwise"))).to_be_visible()


def publishes_from_the_replay(page: Page, draft: str) -> None:
    page.get_by_text("Publish…").click()
    page.get_by_role("button", name=f"Publish version {draft}").click()
    expect(page.get_by_role("status").first).to_contain_text(f"Version {draft} is in force")
    in_the_sidebar(page, "Policy")
    expect(page.get_by_role("region", name="In force")).to_contain_text("Ferries are soon forgotten")


def rolls_back(page: Page, draft: str) -> str:
    """To the version that was in force before; the number under which it is in force again."""
    versions = page.get_by_role("region", name="Versions")
    versions.get_by_role("link").filter(has_not_text=f"Version {draft}:").filter(
        has_not_text=re.compile("draft|tried")
    ).first.click()
    page.get_by_text("Roll back to it…").click()
    page.get_by_role("button", name=re.compile("^Roll back to ")).click()
    told = page.get_by_role("status").first
    expect(told).to_contain_text("is in force again, as version")
    number = re.search(r"as version (\d+)", told.inner_text())
    assert number
    expect(page.get_by_role("region", name="In force")).not_to_contain_text("Ferries are soon forgotten")
    return number[1]


def reads_it_all_in_the_audit_log(page: Page, draft: str, restored: str) -> None:
    in_the_sidebar(page, "Audit log")
    page.get_by_role("searchbox").fill("tomas@nimbus.example")
    page.get_by_role("button", name="Show").click()
    entries = page.get_by_role("region", name="Entries that fit").locator("li")
    for done, number in (
        ("Version drafted", draft),
        ("Version published", draft),
        ("Version rolled back", restored),
    ):
        expect(entries.filter(has_text=done).filter(has_text=number).first).to_be_visible()
    page.get_by_role("button", name="Verify the log").click()
    expect(page.get_by_role("status")).to_contain_text("The log is whole")
