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
