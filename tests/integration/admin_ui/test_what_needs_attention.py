"""The overview says what waits for somebody, to whom it concerns, and what a new workspace does first."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from conversations.audits.records import TurnJudgement
from conversations.models import Turn
from kernel.clock import now
from tenants.models import Webhook
from tenants.services.quotas import quotas_set
from tenants.services.webhooks import webhook_create
from tests.integration.admin_ui.rows import make_document, make_session, make_turn

pytestmark = pytest.mark.django_db


def overview(console) -> str:
    return console.get("").content.decode()


def test_a_new_workspace_is_told_what_to_do_and_each_step_is_ticked_off(scoped, corpus, browser):
    admin = browser(scoped, "admin")
    page = overview(admin)
    assert "First steps" in page and page.count("radio_button_unchecked") == 3
    make_document(corpus, "Loans")
    page = overview(admin)
    assert page.count("check_circle") == 1 and page.count("radio_button_unchecked") == 2
    make_session(turns=1)
    assert "First steps" not in overview(admin)


def test_an_analyst_is_not_told_to_do_what_they_may_not(scoped, browser):
    page = overview(browser(scoped, "analyst"))
    assert "Ask a question" in page and "Invite a colleague" not in page and "Add documents" not in page


def test_flagged_turns_are_counted_as_the_queue_counts_them(scoped, browser):
    session = make_session(turns=1)
    for n, verdict in enumerate(("contaminated", "invented", "diverged", "clean"), start=2):
        make_turn(session, n, verdict=verdict)
    TurnJudgement.objects.create(turn=Turn.objects.get(n=4), judgement="dismissed", at=now())
    make_turn(session, 6, verdict="revoked")
    Turn.objects.filter(n=6).update(created_at=now() - timedelta(days=40))
    analyst = browser(scoped, "analyst")
    page = overview(analyst)
    assert "2 flagged turns wait to be judged" in page and "The guard objected to them" in page
    queue = analyst.get("contamination/").content.decode()
    assert len(set(re.findall(r"#turn-(\d+)", queue))) == 2
    TurnJudgement.objects.create(turn=Turn.objects.get(n=2), judgement="confirmed", at=now())
    page = overview(analyst)
    assert "1 flagged turn waits to be judged" in page and "The guard objected to it" in page


def test_quotas_and_webhooks_are_told_to_those_who_can_do_something(scoped, browser):
    quotas_set(quotas={"documents": 0})
    hook, _ = webhook_create(url="https://hooks.library.example/loans", events=["turn.flagged"])
    Webhook.objects.filter(pk=hook.pk).update(enabled=False, disabled_reason="Gone.")
    page = overview(browser(scoped, "admin"))
    assert "100 % of documents used" in page and "A webhook does not take what it is told" in page
    assert "A webhook does not" not in overview(browser(scoped, "analyst"))


def test_the_rival_is_told_nothing_of_it(scoped, rival, browser):
    make_turn(make_session(turns=1), 2, verdict="contaminated")
    assert "to be judged" not in overview(browser(rival, "owner"))
