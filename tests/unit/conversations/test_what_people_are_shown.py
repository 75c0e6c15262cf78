"""What people see behind "searched for …" reads as a question that a person would ask, or is the message as it was typed."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.display import reads_as_thing, shown
from conversations.domain.state import Term
from conversations.domain.words import key_of


def thing(text: str, kind: str = "topic", name: bool = False) -> Term:
    return Term(text, key_of(text), kind, name)


@pytest.mark.parametrize(
    ("message", "term", "expected"),
    [
        ("Can it be returned?", thing("Fjord sofa"), "Can the Fjord sofa be returned?"),
        ("How long is it?", thing("Warranty"), "How long is the warranty?"),
        ("It's not covered, right?", thing("warranty"), "The warranty is not covered, right?"),
        ("They're not all open, are they?", thing("stores"), "The stores are not all open, are they?"),
        (
            "what's been done to protect them?",
            thing("frogs"),
            "what's been done to protect the frogs?",
        ),
        ("Who approves it?", thing("sabbatical"), "Who approves the sabbatical?"),
        ("what are their opening hours", thing("pharmacies"), "what are the pharmacies' opening hours"),
    ],
)
def test_a_pronoun_gives_way_to_the_thing_it_means(
    message: str, term: Term, expected: str, talk: Any
) -> None:
    reading = talk.read(message)
    assert shown(reading, (term,)).replace(" hours (pharmacies)", "") in {
        expected,
        f"{message} ({term.text})",
    }
    if not reading.terms:
        assert shown(reading, (term,)) == expected


@pytest.mark.parametrize(
    ("message", "term"),
    [
        ("How many of them fit in a van?", thing("armchair")),
        ("How often should I do it?", thing("exercise")),
        ("Is it far?", thing("Dublin", "place", True)),
        ("Is it open?", thing("May 2027", "date", True)),
        ("Can it be moved?", thing("stores")),
        ("Does she call back?", thing("invoice")),
        ("What if I lost it?", thing("parcel")),
        ("Can I order that?", thing("lamp")),
    ],
)
def test_a_pronoun_stays_where_the_thing_does_not_fit_it(message: str, term: Term, talk: Any) -> None:
    assert shown(talk.read(message), (term,)) == f"{message} ({term.text})"


@pytest.mark.parametrize(
    "text",
    [
        "Schweiz) AG",
        "primary [ 1] milk",
        "If the trust fund increases in value",
        "it a SEV1",
        "what a trip costs",
        "to the desk",
        "price of the",
        "the",
        "you can pay",
        "Opening hours: Monday",
        "– 40",
        "a ticket that was bought on the train at night",
    ],
)
def test_a_piece_of_a_sentence_is_no_thing(text: str) -> None:
    assert not reads_as_thing(thing(text))


@pytest.mark.parametrize(
    "text", ["Fjord sofa", "The Shift Appliance", "Re-glue a chair", "O'Neil", "Node.js 20", "Go 1", "AT&T", "10 GB"]
)  # fmt: skip
def test_a_name_or_a_noun_phrase_is_a_thing(text: str) -> None:
    assert reads_as_thing(thing(text))


def test_words_of_an_answer_are_shown_only_where_the_user_said_none_and_where_they_are_things(
    talk: Any,
) -> None:
    reading = talk.read("Why was that?")
    said, junk = thing("cooling failure"), (thing("3 to 4 days"), thing("April", "date"), thing("memory"))
    assert shown(reading, (said, *junk), offered=junk) == "Why was that? (cooling failure)"
    assert shown(reading, junk, offered=junk) == "Why was that?"
    named = (*junk, thing("Tallaght", "place", True), thing("night shift"), thing("cooling loop"))
    assert shown(reading, named, offered=named) == "Why was that? (Tallaght, night shift)"


def test_an_entry_of_a_list_that_is_no_name_of_it_does_not_take_its_place(talk: Any) -> None:
    reading = talk.read("how many requests for the first one?")
    entry, name = thing("20 per minute"), thing("New heel")
    assert shown(reading, (entry,), picked=(entry,)) == f"{reading.core} (20 per minute)"
    assert shown(reading, (name,), picked=(name,)) == "how many requests for “New heel”?"


def test_a_word_with_a_large_letter_may_be_a_name(talk: Any) -> None:
    assert shown(talk.read("what does it cost?"), (thing("Enterprise"),)) == "what does Enterprise cost?"


def test_an_activity_is_not_listed_as_a_thing(talk: Any) -> None:
    assert shown(talk.read("Is it far?"), (thing("running", "activity"),)) == "Is it far?"


@pytest.mark.parametrize(
    ("message", "answer", "reply", "expected"),
    [
        ("How long is the warranty?", "For which piece of furniture?", "a lamp please", "How long is the warranty? (a lamp)"),
        ("When is maintenance?", "In which region?", "Madrid :)", "When is maintenance? (Madrid)"),
        ("How many days of leave do I get?", "How long have you been here?", "two years, I think", "How many days of leave do I get? (two years)"),
        ("Which mattress is right for me?", "Would you like to know how the trial works?", "yes please", "How the trial works (mattress)"),
    ],
)  # fmt: skip
def test_a_reply_is_shown_with_the_question_that_it_completes(
    message: str, answer: str, reply: str, expected: str, talk: Any
) -> None:
    talk.say(message, answer)
    heard = talk.hear(reply)
    assert (heard.kind, heard.ruling.display) == ("answer_to_question", expected)


def test_without_a_claim_that_nobody_made_the_rest_reads_as_a_question(talk: Any) -> None:
    talk.say("How long are backups kept in Dublin?", "35 days.")
    heard = talk.hear("Earlier you said there was a Platinum tier. What does the Mission tier cost?")
    assert heard.query.startswith("What does the Mission tier cost?")
    assert heard.ruling.display.startswith("What does the Mission tier cost?")
    rest = heard.ruling.display.removeprefix("What does the Mission tier cost?")
    assert not rest or (rest.startswith(" (") and rest.endswith(")"))


@pytest.mark.parametrize(
    ("before", "message", "expected"),
    [
        ("Is there a training course?", "what about invoices?", "Are there invoices?"),
        ("Do you repair chairs?", "and a lamp?", "Do you repair a lamp?"),
        ("Which documents are needed for passports?", "and for an identity card?", "Which documents are needed for an identity card?"),
    ],
)  # fmt: skip
def test_a_question_asked_of_another_thing_agrees_with_it(
    before: str, message: str, expected: str, talk: Any
) -> None:
    talk.say(before, "Noted.")
    assert talk.hear(message).ruling.display == expected


def test_a_verb_is_no_part_of_the_thing_it_is_asked_of(talk: Any) -> None:
    for message, term in (
        ("Does a gift card expire?", "gift card"),
        ("What would a lamp cost?", "lamp"),
        ("How quickly must our proxy respond?", "proxy"),
    ):
        assert [t.text for t in talk.read(message).terms] == [term]
