"""What a person does on the first day, in a real browser against the whole platform."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LONG = 30_000


def sign_in(page: Page, platform_up, tenant: str, email: str, password: str) -> None:
    page.goto(f"{platform_up.url}t/{tenant}/login/")
    page.fill("input[name=username]", email)
    page.fill("input[name=password]", password)
    page.press("input[name=password]", "Enter")
    page.wait_for_url("**/chat/**", timeout=LONG)


def ask(page: Page, text: str) -> None:
    box = page.locator("textarea")
    box.fill(text)
    box.press("Enter")


def answered(page: Page, number: int):
    """The n-th turn of the transcript, once it is complete."""
    turn = page.locator(".turn").nth(number - 1)
    expect(turn).to_have_attribute("data-state", "completed", timeout=LONG)
    return turn


def test_an_end_user_asks_follows_up_changes_subject_and_reloads(page: Page, platform_up):
    sign_in(page, platform_up, "nimbus", "tom@nimbus.example", "nimbus-demo-6")
    expect(page.get_by_text("Offline engine")).to_be_visible()

    ask(page, "What is the RPO in Frankfurt?")
    first = answered(page, 1)
    expect(first).to_contain_text("Frankfurt")
    first.locator("button.source").first.click()
    expect(page.locator("mark").first).to_be_visible(timeout=LONG)
    page.keyboard.press("Escape")

    ask(page, "and for Dublin?")
    second = answered(page, 2)
    expect(second).to_contain_text(re.compile("searched for", re.I))
    expect(second).to_contain_text("RPO")
    expect(second).to_contain_text(re.compile("Dublin.*(6 h|15 min)", re.S))

    ask(page, "Different question: how much does a customer-managed key cost?")
    third = answered(page, 3)
    expect(third).to_contain_text("1.20")
    searched = platform_up.rows(
        "select query from conversations_turn where message like 'Different question: how much%'"
    )
    assert all("Frankfurt" not in query and "Dublin" not in query for (query,) in searched)

    ask(page, "What does the Billing export API deliver, and how many requests a minute does it allow?")
    expect(page.locator(".turn").nth(3)).not_to_have_attribute("data-state", "accepted", timeout=LONG)
    page.reload()
    fourth = answered(page, 4)
    expect(page.locator(".turn")).to_have_count(4)
    stored = platform_up.rows(
        "select answer from conversations_turn where message like 'What does the Billing export API deliver%'"
    )
    assert len(stored) == 1
    words = re.sub(r"\W+", " ", re.sub(r"\[\d+\]", "", stored[0][0])).split()[:12]
    shown = re.sub(r"\W+", " ", re.sub(r"\n\d+\n", "\n", fourth.inner_text()))
    assert " ".join(words[:4]) in shown


def test_a_newcomer_uploads_a_pdf_of_their_own_and_asks_about_it(page: Page, platform_up, tmp_path):
    pdf = tmp_path / "canteen.pdf"
    sheet = canvas.Canvas(str(pdf), pagesize=A4)
    sheet.setFont("Helvetica-Bold", 20)
    sheet.drawString(72, 760, "Canteen rules of the Aldermoor office")
    sheet.setFont("Helvetica", 12)
    sheet.drawString(72, 720, "The canteen in Aldermoor serves lunch from 11:45 to 13:15.")
    sheet.drawString(
        72, 700, "A guest voucher for the Aldermoor canteen costs 9.40 euros and is valid for 21 days."
    )
    sheet.save()

    sign_in(page, platform_up, "nimbus", "ingrid@nimbus.example", "nimbus-demo-1")
    page.goto(f"{platform_up.url}t/nimbus/console/documents/")
    page.set_input_files("input[type=file]", str(pdf))
    page.get_by_role("button", name="Upload", exact=True).click()
    row = page.locator("li[id^=document-]", has_text="canteen.pdf")
    expect(row).to_contain_text(re.compile("indexed|ready", re.I), timeout=60_000)

    page.goto(f"{platform_up.url}t/nimbus/chat/")
    page.get_by_role("button", name=re.compile("new conversation", re.I)).click()
    ask(page, "What does a guest voucher for the Aldermoor canteen cost?")
    turn = answered(page, 1)
    expect(turn).to_contain_text("9.40")
    turn.locator("button.source").first.click()
    expect(page.locator(".passage")).to_contain_text("21 days", timeout=LONG)


def new_conversation(page: Page) -> None:
    page.get_by_role("button", name=re.compile("new conversation", re.I)).first.click()


def begun(page: Page, question: str) -> str:
    """A new conversation with one answered question; its address."""
    new_conversation(page)
    ask(page, question)
    answered(page, 1)
    return page.url


def test_a_deleted_conversation_is_gone_here_there_and_after_a_reload(page: Page, platform_up):
    sign_in(page, platform_up, "nimbus", "tom@nimbus.example", "nimbus-demo-6")
    address = begun(page, "What is the RPO in Frankfurt?")
    session = address.split("#")[1]
    other = page.context.new_page()
    other.goto(address)
    answered(other, 1)

    def current_entry():
        page.get_by_role("button", name="Conversations").click()
        return page.locator(".sessions li", has=page.locator("[aria-current]"))

    def delete(entry) -> None:
        entry.get_by_role("button", name=re.compile("^Delete: ")).click()
        page.get_by_role("button", name="Delete", exact=True).click()

    page.route(f"**/sessions/{session}", lambda route: route.fulfill(status=404, body="not here"))
    entry = current_entry()
    delete(entry)
    expect(entry.get_by_role("alert")).to_contain_text("could not be deleted")
    expect(entry.locator("button.session")).to_contain_text("RPO")

    page.unroute(f"**/sessions/{session}")
    delete(entry)
    expect(page.locator(".sessions [aria-current]")).to_have_count(0)
    expect(other.locator(".banner")).to_contain_text("This conversation was deleted.")
    expect(other.locator(".turn")).to_have_count(0)
    assert platform_up.rows("select count(*) from conversations_session where id = %s", session) == [(0,)]

    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(".banner")).to_contain_text("does not exist or is not yours")
    expect(page.locator(".turn")).to_have_count(0)


def test_the_exact_query_can_be_read(page: Page, platform_up):
    sign_in(page, platform_up, "nimbus", "tom@nimbus.example", "nimbus-demo-6")
    begun(page, "How are customer-managed keys stored in Frankfurt?")
    ask(page, "does it rotate?")
    turn = answered(page, 2)
    expect(turn.locator(".exact")).to_be_hidden()
    turn.locator(".search summary").click()
    expect(turn.locator(".exact")).to_contain_text("Exact query")
    [(query, display)] = platform_up.rows(
        "select query, display from conversations_turn where message = 'does it rotate?' and session_id = %s",
        page.url.split("#")[1],
    )
    assert turn.locator(".exact q").text_content() == query
    assert turn.locator("summary q").text_content() == display
    shown, typed = (
        turn.locator(place).first.evaluate("(node) => getComputedStyle(node).color")
        for place in (".exact ins", ".exact q")
    )
    assert shown == typed, "added words can be read too"


def test_the_back_button_returns_to_the_conversation_before_and_drafts_stay(page: Page, platform_up):
    sign_in(page, platform_up, "nimbus", "tom@nimbus.example", "nimbus-demo-6")
    first = begun(page, "What is the RPO in Dublin?")
    page.fill("textarea", "half a thought")
    second = begun(page, "How much does a customer-managed key cost?")
    assert first != second
    page.fill("textarea", "another thought")
    page.reload()
    answered(page, 1)
    expect(page.locator("textarea")).to_have_value("another thought")
    page.go_back()
    expect(page.locator(".turn")).to_contain_text("Dublin", timeout=LONG)
    assert page.url == first
    expect(page.locator("textarea")).to_have_value("half a thought")
    page.go_forward()
    expect(page.locator(".turn")).to_contain_text("customer-managed", timeout=LONG)
    assert page.url == second


def test_a_link_to_somebody_elses_conversation_says_so_and_starts_afresh(page: Page, platform_up):
    sign_in(page, platform_up, "nimbus", "ingrid@nimbus.example", "nimbus-demo-1")
    address = begun(page, "What is the RPO in Frankfurt?")
    page.context.clear_cookies()
    page.goto("about:blank")
    sign_in(page, platform_up, "nimbus", "tom@nimbus.example", "nimbus-demo-6")
    begun(page, "What is the RPO in Dublin?")
    for link in (address, f"{address.split('#')[0]}#rubbish"):
        page.goto("about:blank")
        page.goto(link)
        expect(page.locator(".banner")).to_contain_text("does not exist or is not yours", timeout=LONG)
        expect(page.locator(".turn")).to_have_count(0)


def test_a_sign_out_in_another_tab_takes_the_conversation_off_the_screen(page: Page, platform_up):
    sign_in(page, platform_up, "nimbus", "tom@nimbus.example", "nimbus-demo-6")
    address = begun(page, "What is the RPO in Frankfurt?")
    page.fill("textarea", "a private draft")
    other = page.context.new_page()
    other.goto(address)
    answered(other, 1)
    other.locator("summary", has=other.locator(".face")).click()
    other.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="You have been signed out")).to_be_visible(timeout=LONG)
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    assert "RPO" not in page.content()
    assert page.locator("textarea").count() == 0
    assert page.evaluate("sessionStorage.length") == 0


def test_a_refused_question_says_why_and_can_be_sent_again(page: Page, platform_up):
    sign_in(page, platform_up, "nimbus", "tom@nimbus.example", "nimbus-demo-6")
    refused = []

    def between(socket) -> None:
        server = socket.connect_to_server()

        def from_page(text: str) -> None:
            frame = json.loads(text)
            if frame["type"] == "ask" and not refused:
                refused.append(frame["id"])
                error = {
                    "code": "too_many_waiting",
                    "message": "Please let me answer first.",
                    "retryable": True,
                }
                socket.send(json.dumps({"type": "error", **error, "extra": {}, "ref": frame["id"]}))
            else:
                server.send(text)

        socket.on_message(from_page)

    page.route_web_socket(re.compile("/ws/chat/"), between)
    page.reload()
    new_conversation(page)
    ask(page, "What is the RPO in Frankfurt?")
    expect(page.locator(".turn .fate")).to_contain_text("Not sent. Please let me answer first.")
    page.get_by_role("button", name="Send again").click()
    expect(answered(page, 1)).to_contain_text("Frankfurt")
    expect(page.locator(".turn .fate")).to_have_count(0)


def test_a_signed_out_person_finds_the_way_to_a_workspace(page: Page, platform_up):
    page.goto(platform_up.url)
    page.fill("input[name=workspace]", "no-such-place")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_contain_text("no workspace")
    page.fill("input[name=workspace]", "nimbus")
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/t/nimbus/login/")

    sign_in(page, platform_up, "nimbus", "ingrid@nimbus.example", "nimbus-demo-1")
    page.goto(platform_up.url)
    page.get_by_role("region", name="Your workspaces").get_by_role("link", name="Nimbus Cloud").click()
    page.wait_for_url("**/t/nimbus/**")


def test_what_is_restricted_stays_restricted_and_visitors_see_public_documents(page: Page, platform_up):
    page.goto(f"{platform_up.url}t/harbor/chat/")
    ask(page, "What margin do we make on mattresses, and who may give a discount?")
    turn = answered(page, 1)
    staff = {title for (title,) in platform_up.rows(
        "select d.title from retrieval_document d join retrieval_corpus c on c.id = d.corpus_id where c.slug = 'staff'"
    )}  # fmt: skip
    assert staff and not any(title in turn.inner_text() for title in staff)


def test_the_console_is_closed_to_end_users(page: Page, platform_up):
    sign_in(page, platform_up, "nimbus", "tom@nimbus.example", "nimbus-demo-6")
    answer = page.goto(f"{platform_up.url}t/nimbus/console/documents/")
    assert answer is not None and (answer.status in (403, 404) or "login" in page.url)
    assert page.locator("input[type=file]").count() == 0


def test_an_account_of_one_tenant_opens_nothing_at_another(page: Page, platform_up):
    page.goto(f"{platform_up.url}t/harbor/login/")
    page.fill("input[name=username]", "ingrid@nimbus.example")
    page.fill("input[name=password]", "nimbus-demo-1")
    page.press("input[name=password]", "Enter")
    expect(page.locator("body")).to_contain_text(re.compile("correct|not match|password", re.I))
    assert "login" in page.url
