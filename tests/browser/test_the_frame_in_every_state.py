"""The chat's frame where a page around it forbids things, across page views, and with its panels open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Frame, Page, expect

from tests.browser.conftest import ARTIFACTS
from tests.browser.host_site import host_site
from tests.browser.widgets import LONG, Widgets, answered, asked, frame, opened, ready, widget_keys

pytestmark = [pytest.mark.browser, pytest.mark.slow]
QUESTION = "What are the RPO and RTO in Frankfurt on the Business tier?"
STRUCTURE = {"region", "page-has-heading-one", "heading-order", "empty-heading"}
DOCUMENTED_SANDBOX = "allow-scripts allow-same-origin allow-popups"
# Elements whose name for a screen reader lacks the words that are seen on them: voice control cannot call them.
MISNAMED = """[...document.querySelectorAll(':is(a, button, summary)[aria-label]')].filter((one) => one.checkVisibility()).map((one) =>
  [one.getAttribute('aria-label'), one.innerText.replace(/\\s+/g, ' ').trim()]).filter(([name, seen]) => seen && !name.includes(seen))"""


@pytest.fixture(scope="module")
def widgets(platform_up: Any) -> Iterator[Widgets]:
    with host_site() as site, host_site() as other:
        origins = [site.origin, other.origin, near(site.origin)]
        keys = widget_keys(platform_up.state, {"states": {"allowed_origins": origins}})
        yield Widgets(site, other, platform_up.url, platform_up.state, keys)


def near(origin: str) -> str:
    """The same page as the platform's neighbour: browsers let a frame of the same site keep things in every mode."""
    return origin.replace("localhost", "127.0.0.1")


def test_a_sandbox_that_forbids_forms_does_not_keep_anybody_from_asking(page: Page, widgets: Widgets):
    inner = widgets.site.page("/inner", body=widgets.tag("states"))
    sandbox = f'<iframe src="{inner}" sandbox="{DOCUMENTED_SANDBOX}" width="900" height="700" title="Inner"></iframe>'
    page.goto(widgets.other.page("/", body=sandbox))
    [around] = [found for found in page.frames if "/inner" in found.url]
    ready(around)
    around.evaluate("Antecedent.open()")
    chat = frame(page)
    asked(chat, QUESTION)
    answered(chat, 1)
    chat.locator("textarea").fill("And for Dublin?")
    chat.get_by_role("button", name="Send").click()
    turn = answered(chat, 2)
    for finish in ("Enter", "button"):
        turn.get_by_role("button", name="Not helpful").click()
        turn.get_by_text("It is wrong").click()
        comment = turn.get_by_role("textbox")
        comment.fill("Dublin has moved")
        if finish == "Enter":
            comment.press("Enter")
        else:
            turn.get_by_role("button", name="Send feedback").click()
        expect(comment).to_be_hidden()
        expect(turn.get_by_role("button", name="Not helpful")).to_have_attribute("aria-pressed", "true")
        turn.get_by_role("button", name="Not helpful").click()


def test_a_new_conversation_and_what_was_typed_in_it_outlive_the_page_view(page: Page, widgets: Widgets):
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(f"{said.type}: {said.text}"))
    page.goto(near(widgets.site.page("/", body=widgets.tag("states"))))
    ready(page)
    chat = opened(page)
    asked(chat, QUESTION)
    answered(chat, 1)
    chat.get_by_role("button", name="New conversation").click()
    chat.locator("textarea").fill("How do I rotate a key?")
    page.reload()
    ready(page)
    chat = opened(page)
    expect(chat.locator("textarea")).to_have_value("How do I rotate a key?")
    expect(chat.get_by_role("heading", level=1)).to_be_visible()
    chat.locator("textarea").press("Enter")
    answered(chat, 1)
    expect(chat.locator(".turn")).to_have_count(1)
    page.reload()
    ready(page)
    expect(opened(page).locator(".turn .bubble")).to_have_text(["How do I rotate a key?"], timeout=LONG)
    ours = [said for said in complaints if said.startswith(("warning", "error")) and "404" not in said]
    assert ours == [], "a customer's console stays clean"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_open_panels_are_accessible_and_nothing_in_them_overlaps(
    chromium: Any, widgets: Widgets, scheme: str, width: int
):
    context = chromium.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 760}, reduced_motion="reduce"
    )
    page = context.new_page()
    widgets.visit(page, "states")
    chat = opened(page)
    asked(chat, QUESTION)
    turn = answered(chat, 1)
    assert chat.evaluate(MISNAMED) == []
    bubble, line = turn.locator(".bubble").bounding_box(), turn.locator(".line").bounding_box()
    assert bubble and line and line["y"] >= bubble["y"] + bubble["height"] + 4
    turn.locator(".source").click()
    expect(chat.locator(".passage mark").first).to_be_visible(timeout=LONG)
    page.screenshot(path=ARTIFACTS / f"passage-{scheme}-{width}.png")
    place = chat.locator(".place").bounding_box()
    sheet = chat.locator(".panel").bounding_box()
    assert place and sheet and place["y"] >= sheet["y"] + 12, "below the handle that the sheet is drawn with"
    findings = serious(chat)
    chat.get_by_role("button", name="Close", exact=True).click()
    chat.get_by_role("button", name="Conversations").click()
    expect(chat.locator(".drawer .session")).to_be_visible()
    findings += serious(chat)
    page.screenshot(path=ARTIFACTS / f"history-{scheme}-{width}.png")
    assert findings == []
    context.close()


def serious(chat: Frame) -> list[tuple[str, list[str]]]:
    return [
        (found["id"], [node["html"] for node in found["nodes"]])
        for found in Axe().run(chat).response["violations"]
        if found["impact"] in {"serious", "critical"}
    ]


def unplaced(chat: Frame) -> list[Any]:
    """What axe says of headings and landmarks, of any weight."""
    found = Axe().run(chat).response["violations"]
    ours = [one for one in found if one["id"] in STRUCTURE or one["id"].startswith("landmark")]
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in ours]


def test_every_state_has_one_heading_of_the_first_level_and_all_words_are_in_a_landmark(
    page: Page, widgets: Widgets
):
    widgets.visit(page, "states")
    chat = opened(page)
    title = chat.get_by_role("heading", level=1)
    expect(title).to_have_count(1)
    assert unplaced(chat) == [], "empty"
    asked(chat, QUESTION)
    turn = answered(chat, 1)
    expect(title).to_have_count(1)
    expect(title).to_be_visible()
    turn.get_by_role("button", name="Helpful", exact=True).click()
    expect(chat.locator(".toast")).to_be_visible()
    box, dock = chat.locator(".toast").bounding_box(), chat.locator(".dock").bounding_box()
    assert box and dock and box["y"] + box["height"] < dock["y"] and 80 < box["width"] < 340
    assert unplaced(chat) == [], "a toast"
    page.screenshot(path=ARTIFACTS / "toast.png")
    page.context.set_offline(True)
    expect(chat.locator(".banner")).to_be_visible(timeout=LONG)
    assert unplaced(chat) == [], "a banner"
    page.screenshot(path=ARTIFACTS / "banner.png")
    page.context.set_offline(False)
