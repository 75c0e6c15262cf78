"""The widget on a customer's page, from another origin, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as StillLocked

from tests.browser.conftest import ARTIFACTS, CHROMIUM, FLAGS, eventually
from tests.browser.host_site import Tunnel, host_site
from tests.browser.widgets import (
    LONG,
    Widgets,
    answered,
    asked,
    at_launcher,
    click_launcher,
    frame,
    opened,
    ready,
    widget_keys,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WIDGET = "antecedent-widget"
BLOCKED = """for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, {
  get() { throw new DOMException("blocked", "SecurityError"); } });"""


@pytest.fixture(scope="module")
def widgets(platform_up: Any) -> Iterator[Widgets]:
    with host_site() as site, host_site() as other:
        here = [site.origin]
        wanted: dict[str, dict[str, Any]] = {
            "library": {"allowed_origins": here},
            "revoked": {"allowed_origins": here, "revoked": True},
            "elsewhere": {"allowed_origins": ["https://elsewhere.example"]},
            "anywhere": {"allowed_origins": ["null"]},
            "brief": {"allowed_origins": here},
            "both": {"allowed_origins": [site.origin, other.origin]},
            "members": {"allowed_origins": here, "identified_only": True},
            "dark": {
                "allowed_origins": here,
                "look": {
                    "theme": "dark",
                    "accent": "#ffb000",
                    "position": "left",
                    "launcher": {"label": "Help"},
                },
            },
        }
        yield Widgets(site, other, platform_up.url, platform_up.state, widget_keys(platform_up.state, wanted))


@pytest.fixture
def said(page: Page) -> list[str]:
    """What the page's console shows."""
    lines: list[str] = []
    page.on("console", lambda message: lines.append(message.text))
    return lines


@pytest.fixture
def home(chromium: Any, tmp_path: Any, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page of a browser that lets other sites' frames keep things, as most do; Debian's denies it by itself."""
    preferences = tmp_path / "profile" / "Default" / "Preferences"
    preferences.parent.mkdir(parents=True)
    preferences.write_text('{"profile": {"cookie_controls_mode": 0, "block_third_party_cookies": false}}')
    context = chromium.browser_type.launch_persistent_context(
        tmp_path / "profile", executable_path=CHROMIUM, args=FLAGS, viewport={"width": 1280, "height": 860}
    )
    errors: list[str] = []
    context.on("weberror", lambda found: errors.append(str(found.error)))
    yield context.pages[0]
    context.pages[0].screenshot(path=ARTIFACTS / f"{request.node.name}.png")
    context.close()
    assert errors == []


def picture(page: Page, name: str) -> None:
    page.wait_for_timeout(350)  # movements end
    page.screenshot(path=ARTIFACTS / f"widget-{name}.png")


def kept(chat: Any) -> str:
    """Everything the frame keeps in the browser."""
    text: str = chat.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, window.name, document.body.innerText])"
    )
    return text


def test_a_visitor_asks_follows_up_changes_the_subject_and_comes_back(home: Page, widgets: Widgets):
    page = home
    hosts = set[str]()
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    happened: list[str] = []
    page.expose_function("happened", lambda name, data: happened.append((name, data)))
    widgets.visit(page)
    page.evaluate(
        "for (const name of ['open', 'close', 'message', 'answer']) Antecedent.on(name, (data) => happened(name, data))"
    )
    picture(page, "closed")
    click_launcher(page)
    chat = frame(page)
    expect(chat.locator(".empty")).to_be_visible(timeout=LONG)
    picture(page, "open")

    asked(chat, "What is the RPO in Frankfurt?")
    expect(chat.locator(".turn .answer")).not_to_be_empty(timeout=LONG)
    page.screenshot(path=ARTIFACTS / "widget-streaming.png")
    first = answered(chat, 1)
    first.locator("button.source").first.click()
    expect(chat.locator(".passage mark").first).to_be_visible(timeout=LONG)
    picture(page, "citation")
    page.keyboard.press("Escape")

    asked(chat, "and for Dublin?")
    second = answered(chat, 2)
    expect(second).to_contain_text(re.compile("searched for.*RPO", re.I | re.S))
    asked(chat, "Different question: how much does a customer-managed key cost?")
    expect(answered(chat, 3)).to_contain_text("1.20")

    second.get_by_role("button", name="Not helpful").click()
    second.get_by_text("Something is missing").click()
    second.get_by_role("button", name="Send feedback").click()
    expect(second.get_by_role("button", name="Not helpful")).to_have_attribute("aria-pressed", "true")

    page.reload()
    ready(page)
    chat = frame(page)
    answered(chat, 3)
    expect(chat.locator(".turn")).to_have_count(3)
    chat.get_by_role("button", name="New conversation").first.click()
    expect(chat.locator(".turn")).to_have_count(0)
    assert hosts == {urlsplit(widgets.platform).netloc, urlsplit(widgets.site.origin).netloc}
    told = [name for name, _ in happened]
    assert told[:3] == ["open", "message", "answer"] and told.count("answer") == 3
    assert "Frankfurt" not in str(happened), "what was said stays in the frame"


def test_a_whole_conversation_costs_the_pages_thread_less_than_one_long_task(page: Page, widgets: Widgets):
    """Of its processor time, which other work on the machine does not stretch: no task of it can have taken 50 ms."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        told = {row["name"]: row["value"] for row in devtools.send("Performance.getMetrics")["metrics"]}
        return (told["ScriptDuration"] + told["LayoutDuration"] + told["RecalcStyleDuration"]) * 1000

    widgets.visit(page)
    asked(opened(page), "What is the RPO in Frankfurt?")
    answered(frame(page), 1)
    assert 0 < spent() < 50


def test_an_answer_can_be_stopped_and_tried_again(page: Page, widgets: Widgets):
    widgets.visit(page)
    chat = opened(page)
    chat.evaluate(
        "new MutationObserver((_, watch) => { const stop = document.querySelector('.round.stop:not([hidden])');"
        " if (stop) { watch.disconnect(); stop.click(); } })"
        ".observe(document.body, { subtree: true, childList: true, attributes: true })"
    )
    asked(chat, "Describe all regions, their zones, their services and their recovery objectives.")
    turn = chat.locator(".turn").first
    expect(turn).to_have_attribute("data-state", "stopped", timeout=LONG)
    turn.get_by_role("button", name="Try again").click()
    answered(chat, 2)


def test_two_tabs_stay_in_step(home: Page, widgets: Widgets):
    page = home
    widgets.visit(page)
    chat = opened(page)
    asked(chat, "What is the RPO in Zurich?")
    answered(chat, 1)
    other = page.context.new_page()
    widgets.visit(other)
    second = opened(other)
    answered(second, 1)
    asked(second, "and in Warsaw?")
    answered(chat, 2)
    assert chat.locator(".turn").nth(1).inner_text() == answered(second, 2).inner_text()


def test_an_answer_is_copied_with_its_sources(page: Page, widgets: Widgets):
    for origin in (widgets.platform, widgets.site.origin):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=origin)
    widgets.visit(page)
    chat = opened(page)
    asked(chat, "What is the RPO in Frankfurt?")
    turn = answered(chat, 1)
    turn.get_by_role("button", name="Copy").click()
    expect(chat.get_by_role("status").filter(has_text="Copied")).to_have_count(1, timeout=LONG)
    page.locator("h1").click()  # the page itself has the focus: only then may it read
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "Frankfurt" in copied and re.search(r"^\[1\] \S", copied, re.M), copied


def asleep(page: Page, *, fallen: bool) -> None:
    """The tab of a phone in a pocket: its scripts and timers stand still until it is looked at again."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Page.setWebLifecycleState", {"state": "frozen" if fallen else "active"})
    devtools.detach()


def test_a_phone_that_slept_has_what_came_meanwhile_once(home: Page, widgets: Widgets):
    widgets.visit(home)
    chat = opened(home)
    asked(chat, "What is the RPO in Madrid?")
    answered(chat, 1)
    other = home.context.new_page()
    widgets.visit(other)
    second = opened(other)
    answered(second, 1)
    asleep(home, fallen=True)
    other.bring_to_front()
    for number, region in enumerate(("Dublin", "Zurich", "Warsaw"), 2):
        asked(second, f"and in {region}?")
        answered(second, number)
    asleep(home, fallen=False)
    home.bring_to_front()
    answered(chat, 4)
    expect(chat.locator(".turn")).to_have_count(4)
    assert chat.locator(".turn").nth(3).inner_text() == second.locator(".turn").nth(3).inner_text()


def test_a_phone_that_slept_while_another_tab_deleted_the_conversation_says_so(home: Page, widgets: Widgets):
    widgets.visit(home)
    chat = opened(home)
    asked(chat, "What is the RPO in Madrid?")
    answered(chat, 1)
    other = home.context.new_page()
    widgets.visit(other)
    second = opened(other)
    answered(second, 1)
    asleep(home, fallen=True)
    other.bring_to_front()
    second.get_by_role("button", name="Conversations").click()
    second.get_by_role("button", name=re.compile("^Delete: ")).first.click()
    second.get_by_role("button", name="Delete", exact=True).click()
    expect(second.locator(".turn")).to_have_count(0, timeout=LONG)
    asleep(home, fallen=False)
    home.bring_to_front()
    expect(chat.locator(".banner")).to_contain_text("deleted", timeout=LONG)
    expect(chat.locator(".turn")).to_have_count(0)
    asked(chat, "What is the RPO in Dublin?")
    answered(chat, 1)


def test_a_known_person_finds_the_conversation_on_a_second_browser(
    page: Page, widgets: Widgets, chromium: Any
):
    widgets.visit(page)
    page.evaluate("(token) => Antecedent.identify(token)", widgets.identity("ada"))
    chat = opened(page)
    asked(chat, "What is the RPO in Stockholm?")
    answered(chat, 1)
    other = chromium.new_page()
    widgets.visit(other)
    other.evaluate("(token) => Antecedent.identify(token)", widgets.identity("ada"))
    expect(answered(opened(other), 1)).to_contain_text("Stockholm")
    other.close()


def test_what_a_visitor_began_is_theirs_once_they_are_known(home: Page, widgets: Widgets):
    page = home
    widgets.visit(page)
    chat = opened(page)
    asked(chat, "What is the RPO in Madrid?")
    answered(chat, 1)
    page.evaluate("(token) => Antecedent.identify(token)", widgets.identity("bo"))
    expect(answered(frame(page), 1)).to_contain_text("Madrid")


def test_the_second_person_at_a_browser_sees_nothing_of_the_first(home: Page, widgets: Widgets):
    page = home
    widgets.visit(page)
    page.evaluate("(token) => Antecedent.identify(token)", widgets.identity("carla"))
    chat = opened(page)
    asked(chat, "What is the RPO in Frankfurt for Carla?")
    answered(chat, 1)
    chat.locator("textarea").fill("half a thought of Carla")
    page.evaluate("(token) => Antecedent.identify(token)", widgets.identity("dorian"))
    expect(chat.locator(".empty")).to_be_visible(timeout=LONG)
    assert "Carla" not in kept(chat) and "carla" not in kept(chat)
    asked(chat, "What is the RPO in Dublin for Dorian?")
    answered(chat, 1)
    page.evaluate("Antecedent.reset()")
    expect(chat.locator(".empty")).to_be_visible(timeout=LONG)
    assert not re.search("carla|dorian", kept(chat), re.I)
    chat.get_by_role("button", name="Conversations").click()
    expect(chat.locator(".sessions")).to_contain_text("No earlier conversations", timeout=LONG)


def test_it_works_under_a_strict_policy(page: Page, widgets: Widgets, said: list[str]):
    ours = widgets.platform.rstrip("/")
    policy = f"default-src 'none'; script-src {ours}; frame-src {ours}; base-uri 'none'"
    widgets.visit(page, path="/strict", headers={"Content-Security-Policy": policy})
    assert at_launcher(page) == WIDGET
    asked(opened(page), "What is the RPO in Frankfurt?")
    answered(frame(page), 1)
    assert not [line for line in said if "Content Security Policy" in line or "[Antecedent]" in line]


def test_it_works_on_an_isolated_page(page: Page, widgets: Widgets):
    headers = {
        "Cross-Origin-Embedder-Policy": "require-corp",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=()",
    }
    widgets.visit(page, path="/isolated", headers=headers)
    assert page.evaluate("crossOriginIsolated") is True
    asked(opened(page), "What is the RPO in Frankfurt?")
    answered(frame(page), 1)


def test_a_pages_aggressive_styles_do_not_reach_it(page: Page, widgets: Widgets):
    styles = """<style>* { all: unset !important; font-size: 90px !important; color: red !important; direction: rtl !important }
      html, body { display: block !important } antecedent-widget, body *, iframe, button, div { display: none !important;
      position: static !important; z-index: -1 !important; visibility: hidden !important; pointer-events: none !important;
      opacity: 0 !important; filter: invert(1) !important; transform: rotate(9deg) !important; width: 1px !important }</style>"""
    widgets.visit(page)
    plain = page.screenshot(clip={"x": 1160, "y": 760, "width": 120, "height": 100})
    widgets.visit(page, path="/aggressive", head=styles)
    page.wait_for_timeout(500)
    assert at_launcher(page) == WIDGET
    drawn = page.screenshot(
        path=ARTIFACTS / "widget-aggressive.png", clip={"x": 1160, "y": 760, "width": 120, "height": 100}
    )
    assert len(drawn) > 0.6 * len(plain), "the launcher is drawn, as it is elsewhere"
    click_launcher(page)
    asked(frame(page), "What is the RPO in Frankfurt?")
    answered(frame(page), 1)


def test_it_works_on_a_page_inside_another_sites_frame(page: Page, widgets: Widgets):
    inner = widgets.site.page("/inner", body=widgets.tag("both"))
    page.goto(
        widgets.other.page(
            "/", body=f'<iframe src="{inner}" width="600" height="700" title="Inner"></iframe>'
        )
    )
    [around] = [found for found in page.frames if "/inner" in found.url]
    ready(around)
    around.evaluate("Antecedent.open()")
    asked(frame(page), "What is the RPO in Frankfurt?")
    answered(frame(page), 1)


def test_a_page_without_an_origin_is_let_in_where_the_widget_allows_it(
    page: Page, widgets: Widgets, tmp_path: Any
):
    local = tmp_path / "app.html"
    local.write_text(f"<!doctype html><title>App</title><p>Hello</p>{widgets.tag('anywhere')}")
    page.goto(local.as_uri())
    ready(page)
    asked(opened(page), "What is the RPO in Frankfurt?")
    answered(frame(page), 1)


def test_with_storage_blocked_it_works_for_this_page_view(page: Page, widgets: Widgets):
    page.add_init_script(BLOCKED)
    widgets.visit(page)
    chat = opened(page)
    asked(chat, "What is the RPO in Madrid?")
    answered(chat, 1)
    page.evaluate("(token) => Antecedent.identify(token)", widgets.identity("edda"))
    expect(answered(chat, 1)).to_contain_text("Madrid")
    assert chat.evaluate("window.name") == ""


@pytest.mark.parametrize(
    "key, told",
    [
        ("wk_nonsense", "widget_key_unknown"),
        ("revoked", "widget_key_revoked"),
        ("elsewhere", "frame_refused"),
        ("", "widget_key_missing"),
    ],
)
def test_a_widget_that_is_refused_says_why_and_leaves_nothing(
    page: Page, widgets: Widgets, said: list[str], key: str, told: str
):
    page.goto(widgets.site.page("/refused", body=widgets.tag(key)))
    line = eventually(
        lambda: page.wait_for_timeout(100) or [text for text in said if "[Antecedent]" in text], seconds=30
    )
    assert told in line[0]
    assert page.locator(WIDGET).count() == 0 and page.evaluate("Antecedent.open()") is None


def test_a_site_that_is_not_allowed_gets_no_socket(page: Page, widgets: Widgets):
    page.goto(widgets.site.page("/plain"))
    address = widgets.platform.replace("http", "ws") + "t/nimbus/ws/chat/"
    outcome = page.evaluate(
        "(address) => new Promise((done) => { const socket = new WebSocket(address, ['antecedent']);"
        " socket.onopen = () => done('open'); socket.onerror = () => done('refused'); })",
        address,
    )
    assert outcome == "refused"


def test_a_widget_switched_off_while_it_is_open_says_so(page: Page, widgets: Widgets, platform_up: Any):
    key = widgets.keys["brief"]
    widgets.visit(page, "brief")
    chat = opened(page)
    platform_up.rows("update tenants_widgetkey set revoked_at = now() where public_key = %s returning 1", key)
    with suppress(StillLocked):  # it may hear of it with its own first word, and lock the box at once
        chat.locator("textarea").fill("What is the RPO in Frankfurt?", timeout=2000)
        chat.locator("textarea").press("Enter", timeout=2000)
    expect(chat.locator(".banner")).to_contain_text(
        re.compile("may not use this chat|switched off"), timeout=LONG
    )
    picture(page, "error")


def test_only_known_people_are_asked_to_say_who_they_are(page: Page, widgets: Widgets):
    widgets.visit(page, "members")
    page.evaluate("Antecedent.open()")
    chat = frame(page)
    expect(chat.locator(".banner")).to_be_visible(timeout=LONG)
    page.evaluate("(token) => Antecedent.identify(token)", widgets.identity("finn"))
    expect(chat.locator(".banner")).to_be_hidden(timeout=LONG)
    asked(chat, "What is the RPO in Frankfurt?")
    answered(chat, 1)


def test_where_websockets_are_cut_every_text_still_arrives_once(
    page: Page, widgets: Widgets, platform_up: Any
):
    tunnel = Tunnel(widgets.platform)
    tunnel.cuts_sockets = True
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url))
    page.goto(widgets.site.page("/cut", body=widgets.tag(platform=tunnel.url)))
    ready(page)
    chat = opened(page)
    question = f"What is the RPO in Frankfurt, over the poor line {uuid4().hex[:8]}?"
    asked(chat, question)
    shown = answered(chat, 1).locator(".answer").inner_text()
    asked(chat, "and for Dublin?")
    answered(chat, 2)
    assert tunnel.refused >= 2 and any("/chat/events?session=" in address for address in addresses)
    assert not [address for address in addresses if "st_" in address]
    [(stored,)] = platform_up.rows("select answer from conversations_turn where message = %s", question)
    plain = lambda text: re.sub(r"\W|\d+", "", text)  # noqa: E731
    assert plain(stored) == plain(shown)
    tunnel.close()


def test_without_a_network_nothing_is_lost_and_nothing_doubled(
    page: Page, widgets: Widgets, platform_up: Any
):
    tunnel = Tunnel(widgets.platform)
    page.goto(widgets.site.page("/lost", body=widgets.tag(platform=tunnel.url)))
    ready(page)
    chat = opened(page)
    asked(chat, "What is the RPO in Frankfurt before the tunnel?")
    answered(chat, 1)
    question = f"What is the RPO in Dublin inside tunnel {uuid4().hex[:8]}?"
    asked(chat, question)
    tunnel.go_down()
    expect(chat.locator(".banner")).to_be_visible(timeout=LONG)
    picture(page, "offline")
    asked(chat, "and in Zurich?")
    page.wait_for_timeout(30_000)
    tunnel.come_back()
    answered(chat, 3)
    expect(chat.locator(".turn")).to_have_count(3)
    rows = platform_up.rows("select count(*) from conversations_turn where message = %s", question)
    assert rows == [(1,)]
    tunnel.close()


def test_it_goes_by_the_keyboard_alone(page: Page, widgets: Widgets):
    widgets.visit(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.localName") == WIDGET
    page.keyboard.press("Enter")
    chat = frame(page)
    expect(chat.locator("textarea")).to_be_focused(timeout=LONG)
    page.keyboard.type("What is the RPO in Frankfurt?")
    page.keyboard.press("Enter")
    answered(chat, 1)
    heard = chat.locator("[role=status][aria-live=polite]")
    expect(heard).to_contain_text("Answer: Frankfurt")
    page.keyboard.press("Escape")
    page.wait_for_timeout(300)
    assert page.evaluate("document.activeElement.localName") == WIDGET
    assert page.evaluate("document.elementFromPoint(1000, 400).localName") != WIDGET, "it is closed"


def test_the_live_region_tells_an_answer_once_and_not_word_by_word(page: Page, widgets: Widgets):
    widgets.visit(page)
    chat = opened(page)
    chat.evaluate(
        "() => { window.told = []; new MutationObserver(() => told.push(document.querySelector('[role=status]').textContent))"
        ".observe(document.querySelector('[role=status]'), { childList: true, characterData: true, subtree: true }) }"
    )
    asked(chat, "What are the RPO and RTO in Frankfurt?")
    answered(chat, 1)
    assert len(chat.evaluate("told")) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(chromium: Any, widgets: Widgets, scheme: str):
    page = chromium.new_page(
        color_scheme=scheme, viewport={"width": 1280, "height": 860}, reduced_motion="reduce"
    )
    widgets.visit(page)
    chat = opened(page)
    empty = Axe().run(chat)
    asked(chat, "What is the RPO in Frankfurt?")
    turn = answered(chat, 1)
    turn.get_by_role("button", name="Not helpful").click()
    filled = Axe().run(chat)
    around = Axe().run(page, options={"iframes": False})
    picture(page, scheme)
    serious = [
        (found["id"], [node["html"] for node in found["nodes"]])
        for results in (empty, filled, around)
        for found in results.response["violations"]
        if found["impact"] in {"serious", "critical"}
    ]
    assert serious == []
    small = chat.evaluate(
        "[...document.querySelectorAll('button, a, summary, textarea')].filter((one) => one.offsetParent && !one.matches('.chip'))"
        ".map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()]).filter(([, box]) => box.width < 44 || box.height < 43.9)"
    )
    assert small == []
    moving = chat.evaluate("document.getAnimations().length")
    assert moving == 0
    page.close()


def test_it_speaks_the_pages_language_from_right_to_left(page: Page, widgets: Widgets):
    widgets.visit(page, data={"language": "ar"})
    chat = opened(page)
    assert chat.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["ar", "rtl"]
    asked(chat, "What is the RPO in Frankfurt?")
    answered(chat, 1)
    picture(page, "right-to-left")


@pytest.mark.parametrize("tag, placeholder", [("ja-JP", "質問"), ("de-AT", "Frage"), ("xx", "Ask")])
def test_it_speaks_the_browsers_language(chromium: Any, widgets: Widgets, tag: str, placeholder: str):
    page = chromium.new_page(locale=tag, viewport={"width": 1280, "height": 860})
    widgets.visit(page)
    expect(opened(page).locator("textarea")).to_have_attribute("placeholder", re.compile(placeholder))
    page.close()


def test_it_looks_as_its_key_says_and_fills_a_phone(chromium: Any, widgets: Widgets):
    page = chromium.new_page(viewport={"width": 390, "height": 760}, has_touch=True, is_mobile=True)
    widgets.visit(page, "dark")
    assert page.evaluate("document.elementFromPoint(50, innerHeight - 50)?.localName") == WIDGET
    picture(page, "phone-closed")
    page.touchscreen.tap(50, page.evaluate("innerHeight") - 50)
    chat = frame(page)
    expect(chat.locator("textarea")).to_be_visible(timeout=LONG)
    assert chat.evaluate("[innerWidth, document.documentElement.dataset.theme]") == [390, "dark"]
    asked(chat, "What is the RPO in Frankfurt?")
    answered(chat, 1)
    picture(page, "phone")
    chat.get_by_role("button", name="Close chat").click()
    page.wait_for_timeout(300)
    assert page.evaluate("document.elementFromPoint(200, 100)?.localName") != WIDGET
    page.close()


@pytest.mark.parametrize(
    "company, person, question",
    [
        ("harbor", "maeve", "How long do I have to return electronics?"),
        ("nimbus", "katrin", "What is the RPO in Frankfurt?"),
    ],
)
def test_the_demonstrations_own_pages_embed_it(
    page: Page, widgets: Widgets, platform_up: Any, said: list[str], company: str, person: str, question: str
):
    [([origin],), *_] = platform_up.rows(
        "select allowed_origins from tenants_widgetkey where name = 'Demonstration page'"
    )
    page.goto(f"{origin}/{company}/")
    ready(page)
    picture(page, company)
    page.locator("[data-chat]").first.click()
    chat = frame(page)
    expect(chat.locator("textarea")).to_be_focused(timeout=LONG)
    with page.expect_response("**/identity/*"), page.expect_response("**/chat/token"):
        page.select_option("#person", person)
    asked(chat, question)
    answered(chat, 1)
    picture(page, f"{company}-open")
    assert not [line for line in said if "Content Security Policy" in line]


def test_hostile_answers_and_titles_are_inert(home: Page, widgets: Widgets, platform_up: Any):
    page = home
    widgets.visit(page)
    chat = opened(page)
    asked(chat, "What is the RPO in Frankfurt, hostile?")
    answered(chat, 1)
    hostile = (
        "<img src=x onerror=alert(1)> <script>alert(2)</script> [run](javascript:alert(3)) ![pixel](https://track.example/p.png) "
        "[site](https://good.example/a) <iframe src=//bad.example></iframe> **bold** [1]"
    )
    platform_up.rows(
        "update conversations_turn set answer = %s, citations = jsonb_set(citations, '{0,title}', to_jsonb(%s::text))"
        " where message = 'What is the RPO in Frankfurt, hostile?' returning 1",
        hostile,
        "<svg onload=alert(4)>\"'><b>title",
    )
    asking: list[str] = []
    page.on("request", lambda request: asking.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.reload()
    ready(page)
    chat = frame(page)
    turn = answered(chat, 1)
    expect(turn.locator(".answer strong")).to_have_text("bold")
    assert turn.locator("img, script, iframe, svg[onload], b:has-text('title')").count() == 0
    links = turn.locator(".answer a").evaluate_all("(all) => all.map((a) => [a.href, a.target, a.rel])")
    assert [href for href, *_ in links] == ["https://track.example/p.png", "https://good.example/a"]
    assert all(target == "_blank" and "noopener" in rel and "nofollow" in rel for _, target, rel in links)
    assert not [url for url in asking if "example" in url]


def test_an_answer_survives_the_server_that_wrote_it(page: Page, widgets: Widgets, platform_up: Any):
    widgets.visit(page)
    chat = opened(page)
    asked(chat, "Describe Frankfurt, Dublin, Zurich and Stockholm: zones, services, recovery and prices.")
    expect(chat.locator(".turn .answer")).not_to_be_empty(timeout=LONG)
    platform_up.kill("web")
    turn = chat.locator(".turn").first
    expect(turn).to_have_attribute("data-state", re.compile("completed|failed"), timeout=90_000)
    if turn.get_attribute("data-state") == "failed":
        turn.get_by_role("button", name="Try again").click()
    expect(chat.locator(".turn[data-state=completed]")).to_have_count(1, timeout=90_000)
    asked(chat, "and for Madrid?")
    expect(chat.locator(".turn[data-state=completed]")).to_have_count(2, timeout=90_000)
    rows = platform_up.rows(
        "select count(*) from conversations_turn where message like 'Describe Frankfurt, Dublin, Zurich%%'"
    )
    assert rows[0][0] <= 2
