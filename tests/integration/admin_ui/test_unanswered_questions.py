"""Unanswered questions: the same words once, dealt with and open again, each to whom it belongs."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from conversations.audits.records import QuestionDealtWith
from conversations.models import Turn
from conversations.selectors.questions import fingerprinted
from conversations.services.questions import question_deal_with
from kernel.errors import NotFound
from tenants.models import AuditEntry
from tenants.scoping import tenant_scope
from tests.integration.admin_ui.rows import make_session, make_turn

pytestmark = pytest.mark.django_db
WINDOWS = ("Do you clean windows?", "do you clean   windows", "DO YOU CLEAN WINDOWS?!")


def asked(*messages: str, who: str = "visitor", **fields: Any) -> list[Turn]:
    """Answered without a source, each in a conversation of its own."""
    values = {"query": "", "citations": [], "kind": "opening", "verdict": "", **fields}
    return [make_turn(make_session(turns=0, who=f"{who} {n}"), 1, message=message, **values) for n, message in enumerate(messages)]  # fmt: skip


def text_of(answer: Any) -> str:
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def fingerprint_of(turn: Turn) -> str:
    return fingerprinted(Turn.objects.filter(pk=turn.pk)).get().fingerprint


@pytest.fixture
def analyst(scoped, browser):
    return browser(scoped, "analyst")


def test_without_one_it_says_so(analyst):
    assert "No question is waiting." in text_of(analyst.get("questions/"))


def test_the_same_words_are_one_question_the_most_asked_first(analyst):
    asked("Where do I park?", *WINDOWS)
    page = text_of(analyst.get("questions/"))
    assert re.search(
        r"3 times DO YOU CLEAN WINDOWS\?! by 3 people.*1 time Where do I park\? by 1 person", page
    )


def test_a_follow_up_is_what_was_searched_for_and_an_analyst_reads_what_was_typed(analyst, scoped, browser):
    asked("and those of the Aurora wing?", query="clean windows Aurora", display="Do you clean windows?")
    assert "1 time Do you clean windows?" in text_of(browser(scoped, "editor").get("questions/"))
    page = text_of(analyst.get("questions/"))
    assert "1 time and those of the Aurora wing?" in page and "windows" not in page
    asked("Do you clean windows?", who="another")
    assert "2 times" in text_of(analyst.get("questions/"))


def test_words_of_other_scripts_stay_apart(analyst):
    asked("窓を掃除しますか？", "駐車場はどこですか？", "ล้างหน้าต่างไหม")
    assert text_of(analyst.get("questions/")).count("1 time ") == 3


def test_what_is_no_unanswered_question_cannot_be_dealt_with(scoped):
    answered, chat = *asked("A?", citations=[{"n": 1}]), *asked("Hello!", kind="small_talk", who="another")
    for turn in (answered, chat):
        with pytest.raises(NotFound):
            question_deal_with(fingerprint=fingerprint_of(turn), by=None)
    assert not QuestionDealtWith.objects.exists()


def test_what_was_answered_from_a_document_and_small_talk_are_none(analyst):
    asked("Do you clean windows?", citations=[{"n": 1, "title": "Windows"}])
    asked("How are you today?", kind="small_talk", who="another")
    assert "No question is waiting." in text_of(analyst.get("questions/"))


def test_it_leads_to_its_turns(analyst):
    asked("Where do I park?", *WINDOWS)
    address = re.search(
        r'/console/(turns/\?about=unanswered&amp;days=7&amp;question=\w+)">Look at them',
        analyst.get("questions/").content.decode(),
    )
    assert address
    turns = text_of(analyst.get(address[1].replace("&amp;", "&")))
    assert "3 in the last 7 days" in turns and "windows" in turns and "park" not in turns


def test_one_that_is_dealt_with_leaves_the_list_and_comes_back_by_hand(analyst):
    turn, _ = asked("Do you clean windows?", "Where do I park?")
    mark = {"question": fingerprint_of(turn), "to": "dealt"}
    analyst.post("questions/mark", mark)
    assert "windows" not in text_of(analyst.get("questions/"))
    dealt = text_of(analyst.get("questions/?state=dealt"))
    assert "Do you clean windows?" in dealt and "Analyst dealt with it" in dealt

    analyst.post("questions/mark", {**mark, "to": "open"})
    assert "Do you clean windows?" in text_of(analyst.get("questions/"))
    entries = AuditEntry.objects.filter(action__startswith="question.").order_by("seq")
    assert [(one.action, one.target) for one in entries] == [
        ("question.dealt_with", mark["question"]),
        ("question.reopened", mark["question"]),
    ]
    assert not any("windows" in str(one.data) for one in entries)


def test_one_that_is_asked_in_vain_again_is_open_again(analyst):
    turn, later = asked(*WINDOWS[:2])
    analyst.post("questions/mark", {"question": fingerprint_of(turn), "to": "dealt"})
    mark = QuestionDealtWith.objects.get()
    Turn.objects.filter(pk=later.pk).update(created_at=mark.at + timedelta(minutes=1))
    page = text_of(analyst.get("questions/"))
    assert "2 times do you clean windows" in page and "Asked again since Analyst dealt with it" in page


def test_what_nobody_asked_cannot_be_dealt_with(analyst):
    for fingerprint in ("", "0" * 64, "no fingerprint", "'; --"):
        for to in ("dealt", "open"):
            analyst.post("questions/mark", {"question": fingerprint, "to": to})
    assert not QuestionDealtWith.objects.exists()
    assert "There is no" in text_of(analyst.get("questions/"))


def test_the_rival_sees_and_marks_nothing_of_it(analyst, scoped, rival, browser):
    turn = asked("Do you clean windows?")[0]
    fingerprint = fingerprint_of(turn)
    stranger = browser(rival, "owner")
    assert "windows" not in text_of(stranger.get("questions/"))
    stranger.post("questions/mark", {"question": fingerprint, "to": "dealt"})
    analyst.post("questions/mark", {"question": fingerprint, "to": "dealt"})
    stranger.post("questions/mark", {"question": fingerprint, "to": "open"})
    assert QuestionDealtWith.objects.get().fingerprint == fingerprint
    with tenant_scope(rival.id):
        assert not QuestionDealtWith.objects.exists()
        assert not AuditEntry.objects.filter(action__startswith="question.").exists()


def test_no_query_count_grows_with_the_questions(analyst):
    counts = []
    for n in range(2):
        for turn in asked(*(f"What about {n} and {m}?" for m in range(4)), who=f"{n}"):
            if turn.message.endswith("0?"):
                analyst.post("questions/mark", {"question": fingerprint_of(turn), "to": "dealt"})
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert analyst.get("questions/").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
