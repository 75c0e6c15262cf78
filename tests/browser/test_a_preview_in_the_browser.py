"""The preview beside a widget's form, in a real browser: the real loader and frame, with a look that nobody has saved."""

from __future__ import annotations

import pytest
from playwright.sync_api import Error, Frame, Locator, Page, expect

from tests.browser.conftest import eventually
from tests.browser.test_a_conversation_in_the_browser import LONG, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def form(page: Page, platform_up) -> Page:
    """The page of the workspace's first widget."""
    sign_in(page, platform_up, "nimbus", "ingrid@nimbus.example", "nimbus-demo-1")
    page.goto(f"{platform_up.url}t/nimbus/console/keys/")
    page.locator("a[href*='/keys/widgets/']").first.click()
    until_shown(page, "Nimbus Cloud")
    return page


def chat(page: Page) -> Frame | None:
    """The frame inside the preview now; another takes its place whenever the form changes."""
    page.title()  # lets the browser say which frames there are
    return next((one for one in page.frames if "/widget/frame" in one.url), None)


def until_shown(page: Page, words: str) -> None:
    def shows() -> bool:
        try:
            frame = chat(page)
            return frame is not None and frame.get_by_text(words).first.is_visible()
        except Error:  # between two pages
            return False

    eventually(shows)


def test_a_preview_follows_what_is_typed_and_takes_no_focus(form: Page):
    name = form.locator("input[name=name]")
    name.fill("Ask the harbour")
    until_shown(form, "Ask the harbour")
    expect(name).to_be_focused()

    form.locator("textarea[name=suggestions]").fill("When do the cranes rest?")
    until_shown(form, "When do the cranes rest?")
    until_shown(form, "Ask the harbour")  # what was typed before is still in it

    form.reload()
    until_shown(form, "Nimbus Cloud")  # nothing was saved
    expect(name).not_to_have_value("Ask the harbour")


def test_a_preview_is_answered_with_a_sample(form: Page):
    frame = chat(form)
    assert frame
    box = frame.get_by_role("textbox")
    box.fill("When do you open?")
    box.press("Enter")
    answer = frame.get_by_role("main").get_by_text("This is what an answer looks like")
    expect(answer).to_be_visible(timeout=LONG)


def test_a_preview_is_seen_dark_and_on_a_phone(form: Page):
    stage = form.get_by_role("region", name="Preview")
    stage.get_by_role("button", name="Dark").click()

    def is_dark() -> bool:
        try:
            frame = chat(form)
            return frame is not None and "theme=dark" in frame.parent_frame.url  # type: ignore[union-attr]
        except (Error, AttributeError):
            return False

    eventually(is_dark)
    form.set_viewport_size({"width": 1440, "height": 860})
    wide = width(stage)
    stage.get_by_role("button", name="Phone").click()
    eventually(lambda: width(stage) <= 402 < wide)  # 390 pixels and its rim, once it has shrunk to them


def width(stage: Locator) -> float:
    box = stage.locator("iframe").bounding_box()
    assert box is not None
    return box["width"]
