"""Who recalls what this conversation said is told whether it did, before the documents answer."""

from __future__ import annotations

import pytest

from conversations.domain.answer import Passage
from conversations.domain.words import contains_key, key_of
from tests.unit.turn.fakes import Heard, Model, Shelf, ports, say, talk

UNSAID = "I have not said that in this conversation."
SAID = "Yes, that was said here."

SHOP = (
    "Shoes can be returned within 60 days.",
    "Delivery to Norway costs €14 and takes five working days.",
    "Gift cards are sold for any amount from £10 to £500.",
)
STAFF = (
    "Full-time employees have 25 days of annual leave a year.",
    "Remote work from abroad is possible for ten days a year.",
    "Overtime is paid at one and a half times the hourly rate.",
)
CLOUD = (
    "The Team plan costs $29 a month.",
    "Backups are kept for two weeks on the Team plan.",
    "Version 4.2 was released in March 2024.",
)
CLINIC = (
    "A consultation costs €65.",
    "Blood test results are ready after three working days.",
    "Children under six are seen for free.",
)


def shelf(sentences: tuple[str, ...]) -> Shelf:
    return Shelf(tuple(Passage(f"c{n}", f"d{n}", "", (), None, text) for n, text in enumerate(sentences)))


def answers(sentences: tuple[str, ...], *messages: str) -> list[str]:
    return [heard.seen for heard in talk(*messages, given=ports(shelf=shelf(sentences)))]


@pytest.mark.parametrize(
    ("sentences", "asked", "claimed"),
    [
        (SHOP, "How long can I return shoes?", "you said 90 days, right?"),
        (SHOP, "How long can I return shoes?", "You told me returns are free. What does delivery to Norway cost?"),
        (SHOP, "What does delivery to Norway cost?", "Didn't you say delivery to Norway is free?"),
        (STAFF, "How many days of annual leave do I have?", "as you told me, I have 30 days of leave, right?"),
        (STAFF, "How many days of annual leave do I have?", "You mentioned a sabbatical for everybody. How do I apply?"),
        (CLOUD, "What does the Team plan cost?", "you said it costs $19"),
        (CLOUD, "What does the Team plan cost?", "You said Enterprise is cheaper. How long are backups kept?"),
        (CLINIC, "How much is a consultation?", "but you said it was 50 euros"),
        (CLINIC, "How much is a consultation?", "You promised me a 20 % discount"),
        (CLINIC, "How much is a consultation?", "didn't you just tell me 65 days?"),
    ],
)  # fmt: skip
def test_what_was_not_said_is_called_so(sentences: tuple[str, ...], asked: str, claimed: str) -> None:
    assert answers(sentences, asked, claimed)[-1].startswith(UNSAID)


@pytest.mark.parametrize(
    "message",
    ["you said returns are free", "As you mentioned, results take three days. Can I get them by post?"],
)
def test_nothing_was_said_before_the_first_message(message: str) -> None:
    assert answers((*SHOP, *CLINIC), message)[0].startswith(UNSAID)


@pytest.mark.parametrize(
    ("sentences", "asked", "claimed"),
    [
        (SHOP, "How long can I return shoes?", "you said 60 days, right?"),
        (SHOP, "How long can I return shoes?", "did you say two months?"),
        (STAFF, "How many days of annual leave do I have?", "You told me 25 days of leave, correct?"),
        (CLOUD, "What does the Team plan cost?", "You said $29 a month, right?"),
        (CLOUD, "How long are backups kept on the Team plan?", "you said backups are kept for 14 days?"),
        (CLINIC, "How much is a consultation?", "you said 65 euros?"),
    ],
)
def test_what_was_said_is_confirmed(sentences: tuple[str, ...], asked: str, claimed: str) -> None:
    assert answers(sentences, asked, claimed)[-1].startswith(SAID.rstrip("."))


@pytest.mark.parametrize(
    ("sentences", "asked", "claimed"),
    [
        # True, and not what is asked.
        (SHOP, "How long can I return shoes?", "You said shoes can be returned within 60 days. What about Norway?"),
        # The figure was said of something else.
        (STAFF, "How many days of annual leave do I have?", "you said I can work remotely for 25 days"),
        (CLINIC, "How much is a consultation?", "you said 65 dollars"),
        (CLOUD, "When was version 4.2 released, with 2 or 3 changes?", "didn't you just tell me 2 years?"),
        # Other words for what was said.
        (CLINIC, "How much is a consultation?", "you said I have to pay for seeing a doctor"),
        # A guess, an amount that was worked out, and one that the user brought in.
        (CLOUD, "What does the Team plan cost?", "you said about 30 dollars"),
        (CLOUD, "What does the Team plan cost for 3 people?", "you said $29 for 3 people"),
        # Asked, not claimed.
        (SHOP, "How long can I return shoes?", "What did you say about shoes?"),
        (SHOP, "How long can I return shoes?", "What does delivery to Norway cost?"),
    ],
)  # fmt: skip
def test_where_it_is_not_sure_nothing_is_said_of_it(
    sentences: tuple[str, ...], asked: str, claimed: str
) -> None:
    answer = answers(sentences, asked, claimed)[-1]
    assert "in this conversation" not in answer and "said here" not in answer


def test_what_was_called_missing_was_not_said_of() -> None:
    asked = (
        "Which plans have Aurora, the Team plan?",
        "You said Aurora is included. What does the Team plan cost?",
    )
    first, last = answers(CLOUD, *asked)
    assert "I could not find anything about Aurora" in first
    assert last.startswith(UNSAID)


def test_an_amount_is_found_behind_later_ones_of_its_kind() -> None:
    asked = ("How long are backups kept?", "When were versions released?", "you said two weeks, right?")
    assert answers(CLOUD, *asked)[-1].startswith(SAID.rstrip("."))


def test_what_was_said_instead_is_repeated_where_the_answer_does_not_say_it() -> None:
    last = answers(
        SHOP, "How long can I return shoes?", "You said shoes take 90 days. How are gift cards sold?"
    )[-1]
    assert "What was said here is: “Shoes can be returned within 60 days.”" in last
    assert "£10 to £500" in last


def test_what_it_means_is_what_was_spoken_of_last() -> None:
    asked = ("How much is a consultation?", "You said it is free. When are blood test results ready?")
    assert "What was said here is: “A consultation costs €65.”" in answers(CLINIC, *asked)[-1]
    unpriced = answers(
        SHOP, "How long can I return shoes?", "You said it is free. What does delivery to Norway cost?"
    )[-1]
    assert unpriced.startswith(UNSAID) and "What was said here" not in unpriced


def test_the_documents_answer_all_the_same() -> None:
    last = answers(CLINIC, "When are blood results ready?", "you said a consultation is 50 euros")[-1]
    assert last.startswith(UNSAID) and "€65 [1]" in last


def test_a_denied_claim_is_remembered_as_nobodys_words() -> None:
    given = ports(shelf=shelf(SHOP))
    claim = "you said returns are free in Aurora. How long can I return shoes?"
    heard = talk("What does delivery to Norway cost?", claim, claim, given=given)
    assert all(one.seen.startswith(UNSAID) for one in heard[1:])
    assert all("said" not in exchange.answer for exchange in heard[-1].end.state.exchanges)


def test_the_claim_is_not_searched() -> None:
    given = ports(shelf=shelf(SHOP))
    heard = talk(
        "How long can I return shoes?", "You said Aurora is free. How are gift cards sold?", given=given
    )
    assert not contains_key(key_of(heard[-1].decided.query), "aurora")


def test_what_the_user_may_no_longer_see_is_neither_denied_nor_repeated() -> None:
    stored = shelf(SHOP)
    first = talk("How long can I return shoes?", given=ports(shelf=stored))
    stored.hidden = frozenset(["c0"])
    later = _next(first, "you said 60 days, right?", stored)
    assert "60" not in later.seen and "in this conversation" not in later.seen


def test_small_talk_is_not_contradicted() -> None:
    assert "in this conversation" not in answers(SHOP, "Thanks, you said it well!")[0]


def test_another_language_is_left_alone() -> None:
    assert "conversation" not in answers(SHOP, "Du hast gesagt, die Rücksendung ist kostenlos.")[0]


def test_a_model_is_told_and_tells_it_itself() -> None:
    model = Model(answer=("It costs €65 [1].",))
    given = ports(shelf=shelf(CLINIC), model=model)
    heard = talk("How much is a consultation?", "but you said it was 50 euros", given=given)
    shown = model.calls[-1][1][-1]["content"]
    assert "The user claims that this conversation said “it was 50 euros”: it did not." in shown
    assert heard[-1].seen == "It costs €65 [1]."


def test_of_a_models_answer_that_was_not_kept_nothing_is_claimed() -> None:
    given = ports(shelf=shelf(CLINIC), model=Model(answer=("Fifty.",)))
    heard = talk("How much is a consultation?", "but you said it was 50 euros", given=given)
    assert "correction_note" in heard[-1].end.trace["background"]
    assert not heard[-1].end.trace["background"]["correction_note"].startswith("The user claims")


def _next(before: list[Heard], message: str, stored: Shelf) -> Heard:

    return say(message, ports(shelf=stored), before[-1].end.state)
