"""The chat's renderer of answers in a real browser: nothing runs, nothing is fetched, no word is lost, and time grows
with the text.

Needs no platform: the widget's own files are served to one empty page that would run whatever got through.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser
HERE = Path(__file__).parent
WIDGET = HERE.parents[1] / "conversations" / "widget" / "static" / "widget"
HOST = "http://frame.example"
PAGE = '<!doctype html><title>Answers</title><div id="stage"></div><script>let hits = 0; function hit() { hits += 1; }</script>'
SEED, INPUTS = 20_000, int(os.environ.get("ANTECEDENT_FUZZ_EXAMPLES", "6000"))
SIZE = 500
GROWS_AT_MOST = 6
"""A text 16 times as long may take 6 times what 16 of the shorter ones take: 1 is linear, 16 is quadratic."""


@pytest.fixture
def asked(chromium: Any) -> Iterator[tuple[Any, list[str]]]:
    """A page with the renderer in it, and every address that it asked for beside its own files."""
    context = chromium.new_context()
    page, foreign = context.new_page(), []

    def serve(route: Any) -> None:
        path = route.request.url.removeprefix(HOST)
        files = {"/fuzz.mjs": HERE / "markdown_fuzz.mjs"}
        files |= {f"/widget/{name}": WIDGET / name for name in ("markdown.js", "dom.js")}
        if route.request.url == f"{HOST}/":
            route.fulfill(body=PAGE, content_type="text/html; charset=utf-8")
        elif route.request.url.startswith(HOST) and path in files:
            route.fulfill(body=files[path].read_text(encoding="utf-8"), content_type="text/javascript")
        else:
            foreign.append(route.request.url)
            route.abort()

    context.route("**/*", serve)
    page.goto(f"{HOST}/")
    page.evaluate("import('/fuzz.mjs').then((all) => { window.all = all; })")
    yield page, foreign
    context.close()


def test_nothing_of_thousands_of_hostile_answers_runs_or_is_fetched_and_no_word_is_lost(asked):
    page, foreign = asked
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: errors.append(dialog.message))
    assert page.evaluate("([seed, count]) => all.fuzz(seed, count)", [SEED, INPUTS]) == []
    assert page.evaluate("hits") == 0
    assert (errors, foreign, page.url) == ([], [], f"{HOST}/")


def test_the_check_notices_what_it_is_there_for(asked):
    """A page that would run, fetch or lead astray if the renderer let it."""
    page, foreign = asked
    page.evaluate("document.querySelector('#stage').innerHTML = '<img src=//evil.example/x onerror=hit()>'")
    page.wait_for_function("hits === 1")
    assert foreign == ["http://evil.example/x"]


def test_time_grows_with_the_text_whatever_it_says(asked):
    page, _ = asked
    names = page.evaluate("Object.keys(all.GROWING)")
    measure = "([name, size, most]) => all.growth(name, size, most)"
    growth = {name: page.evaluate(measure, [name, SIZE, GROWS_AT_MOST]) for name in names}
    assert {name: ratio for name, ratio in growth.items() if ratio > GROWS_AT_MOST} == {}


def test_a_very_long_answer_is_drawn_whole(asked):
    """No list of arguments and no recursion that grows with the text."""
    page, _ = asked
    drawn = page.evaluate(
        """async () => { const { parse, render } = await import('/widget/markdown.js');
        const count = (text, tag) => parse(text).map((block) => render(block, () => null))
          .reduce((sum, node) => sum + node.querySelectorAll(tag).length, 0);
        return [count("- a\\n".repeat(150000), "li"), count("- a\\n" + " \\n".repeat(100000) + "  b", "li"),
          count("- a\\n" + "  b\\n".repeat(150000), "li")]; }"""
    )
    assert drawn == [150_000, 1, 1]
