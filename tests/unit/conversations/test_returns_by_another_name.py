"""A return that calls its subject by another name takes along what the exchange was about; clipped words are the same words."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.clipped import is_among, stands_for

ELSEWHERE = (
    ("How much is parking at the station?", "It is 1.90 for two hours."),
    ("When does the canteen open?", "The canteen opens at eight."),
)
TALKS = [
    ("How long before a gastroscopy do I stop eating?", "Six hours before.", "Going back to the camera test for a moment: if I choose sedation, how long can't I drive?", "gastroscopy"),
    ("Who approves a sabbatical?", "Your manager approves a sabbatical.", "let's go back to the long break. how many months can I take?", "sabbatical"),
    ("Can I return an armchair?", "An armchair can be returned within 30 days.", "back to the furniture: who pays for the transport?", "armchair"),
    ("Where do snapshots of Orion go?", "Snapshots are kept in a second building.", "Back to the backups: how many days are they stored?", "Orion"),
    ("Can I change the Lisbon flight?", "The Lisbon flight can be changed for a fee.", "going back to our trip, how many bags can we take?", "Lisbon"),
]  # fmt: skip


@pytest.mark.parametrize("question, answer, message, meant", TALKS)
def test_it_comes_along_where_nothing_else_was_spoken_of(
    talk: Any, question: str, answer: str, message: str, meant: str
) -> None:
    talk.say(question, answer)
    assert meant.lower() in talk.hear(message).query.lower()


@pytest.mark.parametrize(
    "question, answer, message",
    [
        ("I heard of a kettle being recalled, which one?", "The Kestrel kettle.", "Back to the recall. Where can the power bank be handed in?"),
        ("How long is parental leave?", "It is 90 days.", "back to parental leave: who has to sign the form?"),
        ("What does the Dublin region cost?", "It costs 5 euros.", "Coming back to Dublin: can the region still grow?"),
        ("How do you resell plans?", "Through partners.", "returning to my reseller question: which papers do partners sign?"),
        ("Do you clean rugs?", "Yes, by hand.", "back to the rug. how long does the cleaning of silk take?"),
    ],
)  # fmt: skip
def test_by_the_name_it_had_it_stands_on_its_own(talk: Any, question: str, answer: str, message: str) -> None:
    for said in ((question, answer), *ELSEWHERE):
        talk.say(*said)
    heard = talk.hear(message)
    assert heard.kind == "topic_return"
    assert heard.query == heard.reading.core


def test_the_exchange_in_which_the_name_fell_is_meant(talk: Any) -> None:
    talk.say("Which kettle was recalled?", "The Kestrel kettle of batch 2411.")
    talk.say("Where do I see the batch?", "It is printed under the base.")
    talk.say("Where can a power bank be bought?", "A power bank can be bought and handed in at the station.")
    heard = talk.hear("Back to the recall. Where can the power bank be handed in?")
    assert heard.scope.antecedent is not None
    assert heard.scope.antecedent.turn == 1


@pytest.mark.parametrize(
    "question, message, full",
    [
        ("Do I need a letter for physiotherapy at Brookgate?", "Let's go back to the physio, I'd want evenings. How late do they see people?", "physiotherapy"),
        ("Who pays for the administration of the fund?", "back to the admin: which papers must be signed?", "administration"),
        ("When is the chemotherapy ward open?", "Back to chemo: may a friend bring lunch?", "chemotherapy"),
        ("Where is the configuration of the cluster kept?", "returning to the config, who may change the colours?", "configuration"),
    ],
)  # fmt: skip
def test_a_clipped_name_is_the_same_name_and_is_said_in_full(
    talk: Any, question: str, message: str, full: str
) -> None:
    for said in ((question, "Yes."), *ELSEWHERE):
        talk.say(*said)
    heard = talk.hear(message)
    assert heard.scope.antecedent is not None
    assert heard.scope.antecedent.turn == 1
    assert full in heard.query


@pytest.mark.parametrize(
    "clip, full",
    [("physio", "physiotherapy"), ("info", "information"), ("admin", "administrator"), ("exam", "examination"), ("promo", "promotion"), ("demo", "demonstration"), ("limo", "limousine")],
)  # fmt: skip
def test_it_knows_clipped_words(clip: str, full: str) -> None:
    assert stands_for(clip, full)
    assert is_among(clip, {full, "ward"})
    assert is_among(full, {clip})


@pytest.mark.parametrize(
    "word, other",
    [
        ("port", "portable"), ("back", "backup"), ("card", "cardiology"), ("rest", "restaurant"), ("form", "formal"), ("auto", "autonomy"),
        ("euro", "european"), ("info", "infotainment"), ("physio", "physios"), ("app", "apple"), ("also", "alsolike"), ("solo", "solomon"),
    ],
)  # fmt: skip
def test_a_word_that_another_begins_with_is_not_its_clipped_form(word: str, other: str) -> None:
    assert not stands_for(word, other)
