""" "They" of two messages in a row are the same ones, however near something else is; "it" may be another thing."""

from __future__ import annotations

from typing import Any

import pytest

TALKS = [
    # another exchange, the one that names them, one that says "them", the message, a word of what is meant
    (("Where is the Zurich region, and what does a copy of data cost there?", "A copy of data to another region costs 2 cents."), ("Are backups on by default?", "Yes, for every volume."),
     ("Can somebody with stolen rights wipe them?", "Not if the policy is immutable."), "what does it cost to copy them to another region", "backups"),
    (("What does a dry cleaning of curtains cost?", "A dry cleaning costs 30 euros."), ("Do you sell woollen rugs?", "Yes, in three sizes."),
     ("are they fair trade?", "Yes, with a seal."), "may they go into a dry cleaning?", "rugs"),
    (("Who signs a contract in procurement?", "The head of procurement signs a contract."), ("Can interns work from home?", "Yes, two days a week."),
     ("are they paid?", "Yes, monthly."), "who signs their contract?", "interns"),
    (("When is the pharmacy open for a prescription?", "The pharmacy is open until six."), ("My sister is on Bramble ward, is she allowed visitors?", "Yes, until eight."),
     ("does she get lunch?", "Yes, at noon."), "where does she hand in a prescription?", "Bramble"),
]  # fmt: skip


@pytest.mark.parametrize("other, first, then, message, meant", TALKS)
def test_they_are_those_of_the_message_before(
    talk: Any, other: tuple[str, str], first: tuple[str, str], then: tuple[str, str], message: str, meant: str
) -> None:
    for said in (other, first, then):
        talk.say(*said)
    heard = talk.hear(message)
    assert heard.scope.antecedent is not None
    assert heard.scope.antecedent.turn == 3
    assert meant in heard.query


def test_it_may_be_another_thing(talk: Any) -> None:
    talk.say("How do I post the smart speaker back?", "Pack the speaker into its box and post it.")
    talk.say("Is there a cafe in Leeds?", "Yes, on the first floor.")
    talk.say("does it have high chairs?", "Yes, six.")
    heard = talk.hear("do I need a box for posting it as a smart speaker?")
    assert heard.scope.antecedent is not None
    assert heard.scope.antecedent.turn == 1


def test_they_may_be_others_where_the_message_before_spoke_of_none(talk: Any) -> None:
    talk.say("Do you sell woollen rugs?", "Yes, woollen rugs in three sizes, made of fair trade wool.")
    talk.say("Is there a cafe in Leeds?", "Yes, on the first floor.")
    heard = talk.hear("are they made of fair trade wool?")
    assert heard.scope.antecedent is not None
    assert heard.scope.antecedent.turn == 1


GROUPS = (
    ("What is the group discount on trains?", "It is 30 % for 6 to 25 people."),
    ("How early must I book that?", "At least 3 working days before."),
)


@pytest.mark.parametrize(
    "last, claim, meant",
    [
        (("What is the fee for an access card?", "It is free."), "You promised me it comes in 5 days. Still nothing, how long is it really?", "access card"),
        (("Do you repair lamps?", "Yes, at the counter."), "you said it takes two days, how long does it really take?", "lamps"),
        (("Where do I get a parking permit?", "From the security office."), "They told me it's done within 9 days. Is it?", "permit"),
    ],
)  # fmt: skip
def test_a_claim_about_it_that_nothing_said_bears_out_is_about_the_last_thing(
    talk: Any, last: tuple[str, str], claim: str, meant: str
) -> None:
    for said in (*GROUPS, last):
        talk.say(*said)
    heard = talk.hear(claim)
    assert heard.scope.antecedent is not None
    assert heard.scope.antecedent.turn == 3
    assert meant in heard.query
    assert "discount" not in heard.query


@pytest.mark.parametrize(
    "claim", ["You said it costs 45 euros, is that right?", "you told me it lasts 45 minutes, is it longer?"]
)
def test_what_was_said_is_meant_where_it_was_said(talk: Any, claim: str) -> None:
    talk.say("Tell me about the seal cruise", "The cruise costs 45 euros and lasts 45 minutes.")
    talk.say("When does the canteen open?", "The canteen opens at eight.")
    heard = talk.hear(claim)
    assert heard.scope.antecedent is not None
    assert heard.scope.antecedent.turn == 1
