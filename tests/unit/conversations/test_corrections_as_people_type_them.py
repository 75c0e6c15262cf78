"""Corrections that are chained, that groan or hold on, and that say what is not asked about before they ask."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.corrections import is_correction, latest_said, right_in
from conversations.domain.cues import CueKind, split_cue

# The last question, the correction, and the question that is searched.
CHAINED = {
    "a dash and a full stop": ("when does the store in Bristol close on Sundays?", "wait no - Leeds. no, York", "when does the store in York close on Sundays?"),
    "without a full stop": ("when does the store in Bristol close on Sundays?", "Leeds, no York", "when does the store in York close on Sundays?"),
    "three in a row": ("do you deliver to Norway", "no, Spain. wait, Italy. no sorry, Greece", "do you deliver to Greece"),
    "dots": ("how much is a double room", "a suite... no wait, a single room", "how much is a single room"),
    "ones": ("how much is the silk scarf", "no, the wool one. sorry, I mean the cotton one", "how much is the cotton scarf"),
}  # fmt: skip
COLLOQUIAL = {
    "hang on": ("When does the clinic in Oslo open?", "no hang on, Bergen", "When does the clinic in Bergen open?"),
    "a groan": ("do you ship to France", "ugh, sorry: Ireland", "do you ship to Ireland"),
    "nah": ("do you ship to France", "nah, Spain", "do you ship to Spain"),
    "scratch that": ("How much is a visa for Japan?", "scratch that, Korea", "How much is a visa for Korea?"),
    "the wrong one": ("what does the monthly commitment give", "sorry wrong one, the yearly plan", "what does the yearly plan give"),
    "for whom": ("what is the discount for a sofa bed", "i mean for staff", "what is the discount for staff"),
    "the whole message": ("backups", "no wait, snapshots", "snapshots"),
}  # fmt: skip
ALL = CHAINED | COLLOQUIAL


@pytest.mark.parametrize("name", ALL)
def test_the_last_question_is_asked_with_what_was_said_last(talk: Any, name: str) -> None:
    question, message, searched = ALL[name]
    talk.say(question, "That depends.")
    heard = talk.hear(message)
    assert (heard.query, heard.ruling.display, heard.kind) == (searched, searched, "correction")


@pytest.mark.parametrize(
    ("question", "message", "searched"),
    [
        (
            "How long can I return shoes?",
            "It's not shoes I'm asking about, it's mattresses. How long can I keep one before I send it back?",
            "mattresses. How long can I keep one before I send it back?",
        ),
        (
            "What is the RPO in Dublin?",
            "It's not Dublin I'm asking about, it's Zurich. How long is the maintenance window?",
            "Zurich. How long is the maintenance window?",
        ),
        (
            "What is the notice period for managers?",
            "No, it isn't managers I mean, it's interns. What is the notice period for them?",
            "interns. What is the notice period for them?",
        ),
        (
            "How do I cancel my gym contract?",
            "It is not the gym I was asking about, it's the pool. How do I cancel?",
            "the pool. How do I cancel?",
        ),
    ],
)
def test_what_is_asked_about_instead_heads_its_question(
    talk: Any, question: str, message: str, searched: str
) -> None:
    talk.say(question, "That depends.")
    assert talk.hear(message).query == searched


def test_what_is_not_asked_about_is_not_carried_with_the_rest(talk: Any) -> None:
    talk.say("what is the dosage of ibuprofen for adults", "400 mg.")
    query = talk.hear("it's not adults I'm asking about, it's children. How often can they take it?").query
    assert "ibuprofen" in query
    assert "adults" not in query


@pytest.mark.parametrize(
    "message",
    [
        "No, sorry, I need a ticket. Wait, is there a discount?",  # a question of its own
        "wait - Leeds",  # one correction
        "no, York",
        "sorry, wait, no, York",
        "Leeds, not York",
        "The lift was broken. No, I did not report it",
    ],
)
def test_it_sees_no_chain_where_only_one_thing_is_put_right(message: str) -> None:
    assert latest_said(message) == 0


@pytest.mark.parametrize(
    "message", ["hang on tight", "is it open? no, closed", "it's not what I need, thanks"]
)
def test_it_reads_no_right_word_where_none_is_said(message: str) -> None:
    assert latest_said(message) == 0
    assert split_cue(message).kind is CueKind.NONE


def test_it_reads_the_right_word_behind_a_groan() -> None:
    assert is_correction("ugh, sorry: Ireland")
    assert right_in("argh, I meant the terrace") == "terrace"
    assert right_in("Leeds. no, York") == "York"


@pytest.mark.parametrize(
    ("message", "core"),
    [
        ("thanks\nwhat does delivery cost", "what does delivery cost"),
        ("Thank you so much!\n\nis there a café in Leeds", "is there a café in Leeds"),
        ("ok cool\nhi\nhow do I book leave?", "how do I book leave?"),
        ("how long can I return shoes\nthanks!", "how long can I return shoes"),
        ("my order is late\nwhat can I do?", "my order is late\nwhat can I do?"),
        ("thanks\nthat's all", "thanks\nthat's all"),
    ],
)
def test_lines_that_only_thank_are_no_part_of_the_question(message: str, core: str) -> None:
    assert split_cue(message).core == core


def test_a_question_under_thanks_goes_on_as_without_them(talk: Any) -> None:
    talk.say("when does the pool in Leeds open", "At nine.")
    assert talk.hear("thanks!\n\nand in York?").query == talk.hear("and in York?").query
