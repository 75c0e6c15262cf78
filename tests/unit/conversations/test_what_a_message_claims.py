"""What a message claims was said in this conversation, told from what it asks and from what was said elsewhere."""

from __future__ import annotations

import pytest

from conversations.domain.claims import claim_in


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("you said returns are free", "returns are free"),
        ("You said returns are free. What do I pay for the label?", "returns are free"),
        ("as you told me, it is 90 days, right?", "it is 90 days"),
        ("You said Mr. Dorn runs support. Who heads sales?", "Mr. Dorn runs support"),
        ("you said you open at 8:30", "you open at 8:30"),
        ("u said version 1.20 is supported", "version 1.20 is supported"),
        ("It opens at 8:30, you said. And on Sunday?", "it opens at 8:30"),
        ("Returns are free, you said. What about the label?", "returns are free"),
        ("So the RPO is 5 minutes, as you said earlier?", "so the RPO is 5 minutes"),
        ("Didn't you say overtime is paid double?", "overtime is paid double"),
        ("did you say 14 days?", "14 days"),
        ("I thought you said the yellow fever vaccine was included", "the yellow fever vaccine was included"),
        ("i remember you saying the Starter plan has backups", "the Starter plan has backups"),
        ("according to you, the warranty is 5 years", "the warranty is 5 years"),
        ("But the bot told me that dogs may stay in the room", "dogs may stay in the room"),
        ("we agreed on 40 euros earlier, so what do I pay?", "40 euros"),
        ("You've already told me the price is 9.99 euros. And for two?", "the price is 9.99 euros"),
        ("Since you told me the Basic plan has phone support, how do I call?", "the Basic plan has phone support"),
        ("You promised me a 20 % discount. How do I use it?", "a 20 % discount"),
    ],
)  # fmt: skip
def test_it_finds_a_claim(message: str, text: str) -> None:
    claim = claim_in(message)
    assert claim is not None and claim.text == text


@pytest.mark.parametrize(
    "message",
    [
        "What did you say about the warranty?",
        "the course you mentioned, how long is it?",
        "In the two-day course you listed, what is taught?",
        "if you said 30 days, would that be binding?",
        "when you said 30 days, did you mean working days?",
        "What you told me was wrong",
        "can you say that again",
        "You said so",
        "thx, you said that already",
        "Did you say when it opens?",
        "did you say 14 or 40 days?",
        "you said the opposite earlier",
    ],
)
def test_what_asks_or_only_refers_claims_nothing(message: str) -> None:
    assert claim_in(message) is None


@pytest.mark.parametrize(
    "message",
    [
        "You said on the phone that it is free",
        "your website says 30 days",
        "You told me in your email that delivery is free",
        "You told me yesterday that the room has a balcony",
        "In our last chat you said that leave can be carried over",
        "I was told returns are free",
        "my colleague said returns are free",
    ],
)
def test_what_was_said_elsewhere_is_no_claim_about_this_conversation(message: str) -> None:
    assert claim_in(message) is None


@pytest.mark.parametrize(
    "message",
    ["you said you could not find it", "You said you are a bot", "you told me that you don't know"],
)
def test_what_the_platform_said_of_itself_is_left_alone(message: str) -> None:
    assert claim_in(message) is None


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("you said 14 days, right?", True),
        ("Did you say 14 days?", True),
        ("you said 14 days", True),
        ("You said 14 days. Does that hold for shoes?", False),
    ],
)
def test_it_tells_whether_the_claim_is_what_is_asked(message: str, asked: bool) -> None:
    claim = claim_in(message)
    assert claim is not None and claim.asked is asked
