"""The phrases by which people announce a change of subject, a return, or nothing at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.domain.corrections import is_correction
from conversations.domain.cues import CueKind, split_cue
from conversations.domain.small_talk import is_small_talk

QUESTION = "What is the warranty on laptops?"
PIVOTS = """\
By the way,|btw|Unrelated, but|On a different note:|Moving on.|Let's talk about something else.|Never mind that.
Forget about that,|Okay, new question.|Now something different -|This has nothing to do with that, but|Random question:
While I have you,|Before I forget,|Thanks! Different topic now.|Can I ask about something else?|Shifting gears a bit,
I want to change the subject.|Enough about that.|Off topic:|Cool. Separate issue:|got it, thank you. new question:
Setting that aside,|OK I'm done with that.|one more thing:|Completely unrelated:|Let me ask something different:
ok so on a totally different subject,|Side note:|Anyway,"""
RETURNS = """\
Back to my first question:|Going back to the earlier topic,|To return to what we discussed before:|Circling back,
Regarding my earlier question,|As I asked before,|Where were we?|Picking up where we left off,|Let's revisit the earlier topic.
Anyway, back to the original topic.|Thanks. Now back to what we were discussing:|So, about that first question:
Continuing with what I asked earlier:|ok, back to before:|Rewind to my first question:|Getting back to my question from before:"""
PLAIN = """\
What is the difference between RAID and backup?|How do I change the subject line of an invoice?|Is there another plan?
I have a question about refunds. How long do they take?|Can I go back to the free plan?|How do I return shoes?
No, what are some popular dishes?|Moving to Dublin: is data copied?|Thanks, and what about Dublin?|Continue|Go on
How do I get back to the dashboard?|New customers: do they get a discount?|Forget password link is missing, why?
Does it cover a different device?|Interesting. What else?|I moved on to Pro. Do I pay twice?|Can I get my money back on shoes?"""


def phrases(text: str) -> list[str]:
    return [phrase.strip() for line in text.splitlines() for phrase in line.split("|")]


@pytest.mark.parametrize("phrase", phrases(PIVOTS))
def test_it_splits_off_a_change_of_subject(phrase: str) -> None:
    cue = split_cue(f"{phrase} {QUESTION}")
    assert (cue.kind, cue.core) == (CueKind.PIVOT, QUESTION)


@pytest.mark.parametrize("phrase", phrases(RETURNS))
def test_it_splits_off_a_return(phrase: str) -> None:
    cue = split_cue(f"{phrase} {QUESTION}")
    assert (cue.kind, cue.core) == (CueKind.RETURN, QUESTION)


@pytest.mark.parametrize("message", phrases(PLAIN))
def test_it_leaves_messages_that_say_something_alone(message: str) -> None:
    cue = split_cue(message)
    assert (cue.kind, cue.core) == (CueKind.NONE, message)


@pytest.mark.parametrize(
    ("message", "core"),
    [
        ("go back to what you said about Dublin", "Dublin"),
        ("Back to shipping, is it free?", "shipping, is it free?"),
        ("let's return to the topic of refunds", "refunds"),
    ],
)
def test_it_understands_a_return_that_names_its_goal(message: str, core: str) -> None:
    cue = split_cue(message)
    assert (cue.kind, cue.core, cue.named) == (CueKind.RETURN, core, True)


@pytest.mark.parametrize(
    "message",
    [
        "I meant Sweden",
        "no, I mean the new ones",
        "actually, make that Dublin",
        "Sorry, that should be March",
        "no, those are the old roles, I mean the new ones",
        "not Frankfurt, Dublin",
    ],
)
def test_it_hears_a_correction(message: str) -> None:
    assert is_correction(message)


@pytest.mark.parametrize(
    "message", ["What does RPO mean?", "Is it actually free?", "I actually like it. What else?"]
)
def test_it_does_not_hear_a_correction_in_a_question(message: str) -> None:
    assert not is_correction(message)


@given(st.text(max_size=300))
def test_it_loses_nothing_but_the_phrase(message: str) -> None:
    cue = split_cue(message)
    assert message.strip().endswith(cue.core)
    assert cue.core or not message.strip()


@pytest.mark.parametrize(
    ("message", "core"),
    [
        ("hello, do you sell shoes?", "do you sell shoes?"),
        ("hi there! what does it cost", "what does it cost"),
        ("haha and a bus?", "and a bus?"),
        ("lol do you have an office in Leeds", "do you have an office in Leeds"),
        ("good morning 🙂 can I return a lamp", "can I return a lamp"),
        ("hey, different question: what's the fee", "what's the fee"),
    ],
)
def test_a_greeting_is_no_part_of_the_question(message: str, core: str) -> None:
    assert split_cue(message).core == core


@pytest.mark.parametrize(
    "message",
    ["hello", "hello there", "haha", "Heyne books", "hi-fi shelves please", "wow, is it that dear?"],
)
def test_what_is_only_a_greeting_or_none_stays_whole(message: str) -> None:
    assert split_cue(message).core == message


@pytest.mark.parametrize(
    ("message", "core"),
    [
        (
            "Okay thanks, that's clear now. On to something else - how deep is the pool?",
            "how deep is the pool?",
        ),
        ("Great, that answers it. New topic: do you sell lamps?", "do you sell lamps?"),
        ("I see. Different question, where is the office?", "where is the office?"),
        ("You have answered my question, thanks. By the way, is parking free?", "is parking free?"),
    ],
)
def test_a_change_of_subject_may_be_announced_after_the_answer_was_acknowledged(
    message: str, core: str
) -> None:
    cue = split_cue(message)
    assert (cue.kind, cue.core) == (CueKind.PIVOT, core)


@pytest.mark.parametrize(
    "message", ["That is good for how long?", "I understand that it is free. Is it?", "Is that clear now?"]
)
def test_what_asks_something_acknowledges_nothing(message: str) -> None:
    assert split_cue(message).core == message


@pytest.mark.parametrize(
    ("message", "talk"), [("thx 🙏", True), ("thanks ❤️", True), ("👍 great", True), ("🐕 allowed?", False)]
)
def test_a_picture_beside_thanks_asks_nothing(message: str, talk: bool) -> None:
    assert is_small_talk(message) is talk
