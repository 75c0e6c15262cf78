"""Talks whose subject hides in an odd wording: what goes on being meant, and what stays behind."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.words import contains_key, key_of

# (what was said before as messages and answers, the message, words that must be searched, words that must not)
Case = tuple[list[tuple[str, str]], str, str, str]
CASES: dict[str, Case] = {
    "they are things of the kind that was asked about, not somebody's brother": (
        [("For how long is a travel card valid?", "Until midnight."), ("and if my brother loses it?", "Ask at the desk.")],
        "And changing the subject: do they count for concerts at the castle?",
        "travel card concert",
        "brother",
    ),
    "a price that is offered is the price of what was asked": (
        [("Can you tune my piano?", "Yes, on weekdays. Do you want to know the price?")],
        "Yes, tell me.",
        "tune piano price",
        "",
    ),
    "an offer that names its thing needs nothing else": (
        [
            ("Where is the cloakroom?", "Downstairs."),
            ("We come with a pram.", "Would you like to know where the lifts are?"),
        ],
        "yes please",
        "lifts",
        "cloakroom",
    ),
    "what is described by what was said of it is the same thing": (
        [("What is special about the Fjord tent?", "The Fjord tent is for families and storms.")],
        "what is the deposit on pegs for that family tent?",
        "Fjord tent",
        "",
    ),
    "a name takes the place of what something was done by": (
        [("how long until the parcel arrives, I sent it by rail", "Four days.")],
        "What if it was Hermes?",
        "arrives Hermes",
        "rail",
    ),
    "what something is for is not the thing itself": (
        [("Do you send skis to Iceland?", "Yes, within a week.")],
        "Does the box for sending them back cost anything?",
        "Iceland",
        "",
    ),
    "how is that: what was said last": (
        [
            ("Which harbour passes do you sell?", "Three passes: Basic, Family and Premium."),
            ("What refund do we get if the ferry is late?", "A quarter of the fare."),
        ],
        "how is that on the premium charter?",
        "refund",
        "passes",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_it_goes_on_about_what_is_meant(name: str, talk: Any) -> None:
    before, message, needed, left = CASES[name]
    for said, answer in before:
        talk.say(said, answer)
    query = key_of(talk.hear(message).query)
    missing = [word for word in needed.split() if not contains_key(query, key_of(word))]
    welded = [word for word in left.split() if contains_key(query, key_of(word))]
    assert (missing, welded) == ([], []), query
