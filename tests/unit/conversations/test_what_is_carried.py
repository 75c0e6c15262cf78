"""A rewrite takes the antecedent along and what the reference needs, and nothing else of an earlier turn."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.words import contains_key, key_of


def holds(query: str, words: str) -> bool:
    return contains_key(key_of(query), key_of(words))


@pytest.mark.parametrize(
    ("opened", "answer", "elsewhere", "back", "left_out"),
    [
        (
            "What are the RPO and RTO in Dublin?",
            "In Dublin the RPO is 2 hours and the RTO is 6 hours.",
            "How do I return shoes?",
            "Back to Dublin: when is failover rehearsed?",
            ("RPO", "RTO"),
        ),
        (
            "Which tiers and discounts does the Maple card have?",
            "The Maple card has a silver and a gold tier.",
            "How do I park my car?",
            "Let's go back to the Maple card. Who may sign the application?",
            ("tiers", "discounts", "silver"),
        ),
        (
            "How heavy is the Harlow crib and what colours are there?",
            "It weighs 31 kg and comes in white.",
            "Do you ship lamps to Norway?",
            "Returning to the Harlow crib - does a mattress come with the order?",
            ("colours", "white", "Norway"),
        ),
    ],
)
def test_a_return_that_names_its_subject_and_asks_a_whole_question_takes_nothing_else(
    talk: Any, opened: str, answer: str, elsewhere: str, back: str, left_out: tuple[str, ...]
) -> None:
    talk.say(opened, answer)
    talk.say(elsewhere, "Within 30 days.")
    heard = talk.hear(back)
    assert heard.kind == "topic_return"
    assert not [words for words in left_out if holds(heard.query, words)]


@pytest.mark.parametrize(
    ("asked", "answer", "message", "owner", "left_out"),
    [
        (
            "What is the request limit of the Billing export API?",
            "The Billing export API allows 20 requests per minute and project.",
            "How long are its finished exports kept?",
            "Billing export API",
            ("request limit", "minute", "project", "requests"),
        ),
        (
            "What does the Larkspur Museum charge for a school class?",
            "The Larkspur Museum charges 40 euros, guides and cloakroom included.",
            "Where are its oldest paintings?",
            "Larkspur Museum",
            ("school class", "guides", "cloakroom"),
        ),
        (
            "Which rooms does the Aldgate hostel have?",
            "The Aldgate hostel has dormitories and twin rooms with lockers.",
            "When do their kitchens close?",
            "Aldgate hostel",
            ("dormitories", "lockers"),
        ),
    ],
)
def test_what_belongs_to_something_takes_that_along_and_no_words_of_its_answer(
    talk: Any, asked: str, answer: str, message: str, owner: str, left_out: tuple[str, ...]
) -> None:
    talk.say(asked, answer)
    heard = talk.hear(message)
    assert holds(heard.query, owner)
    assert not [words for words in left_out if holds(heard.query, words)]


def test_a_whole_question_takes_the_names_it_is_asked_of_and_not_what_was_asked_of_them(talk: Any) -> None:
    talk.say("What are the opening hours of the Castle branch?", "The Castle branch is open until 18:00.")
    heard = talk.hear("Which opening hours apply on holidays?")
    assert not holds(heard.query, "18:00")
    assert heard.query in {
        "Which opening hours apply on holidays?",
        "Which opening hours apply on holidays? Castle branch",
    }


def test_at_most_two_things_that_only_the_answer_named_are_carried(talk: Any) -> None:
    said = "The car park has three levels, a bicycle cellar, a charging point and a day ticket."
    talk.say("How do I park my car?", said)
    query = talk.hear("how long is it valid?").query
    only_said = ("levels", "bicycle cellar", "charging point", "day ticket")
    assert sum(holds(query, words) for words in only_said) <= 2


@pytest.mark.parametrize(
    ("asked", "answer", "again", "later", "only_said"),
    [
        (
            "Is there a warranty on the Alder bench?",
            "Yes, ten years; the invoice and the delivery note prove it.",
            "does it cover frost?",
            "and how is it claimed?",
            ("invoice", "delivery note"),
        ),
        (
            "How do I join the rowing club?",
            "Fill in the form; a swimming certificate and a sponsor are needed.",
            "what does it cost?",
            "is it cheaper for students?",
            ("form", "swimming certificate", "sponsor"),
        ),
        (
            "Can I rent the Orchard hall?",
            "It is rented with chairs, a projector and a caretaker.",
            "when can I have it?",
            "who cleans it?",
            ("chairs", "projector", "caretaker"),
        ),
    ],
)
def test_a_word_of_an_answer_is_not_carried_on_by_the_turns_after_the_next(
    talk: Any, asked: str, answer: str, again: str, later: str, only_said: tuple[str, ...]
) -> None:
    talk.say(asked, answer)
    talk.say(again, "Yes.")
    leaned_on = {term.key for term in talk.state.exchanges[-1].inherited}
    assert leaned_on
    assert not leaned_on & {key_of(words) for words in only_said}
    talk.say("Where is the nearest tram stop?", "In Mill Lane.")
    assert not [words for words in only_said if holds(talk.hear(later).query, words)]


def test_a_word_of_an_answer_that_was_only_searched_does_not_come_alive(talk: Any) -> None:
    talk.say("How do I join the Tern rowing club?", "Fill in the Varga form at the Larsen boathouse.")
    talk.say("what does it cost?", "80 euros.")
    assert not [s.name for s in talk.state.slots if s.status.value == "live" and "Varga" in s.name]


@pytest.mark.parametrize(
    ("first", "second", "message", "wanted", "old"),
    [
        ("How much is delivery to Norway?", "and to Japan?", "how long does that take?", "Japan", "Norway"),
        ("What does a room in Porto cost?", "and in Faro?", "is that per night?", "Faro", "Porto"),
        ("How long may I keep a novel?", "what about a film?", "can I extend that?", "film", "novel"),
    ],
)
def test_that_means_the_last_of_several_things_asked_the_same_of(
    talk: Any, first: str, second: str, message: str, wanted: str, old: str
) -> None:
    talk.say(first, "A part of it is known.")
    talk.say(second, "That is known as well.")
    query = talk.hear(message).query
    assert holds(query, wanted)
    assert not holds(query, old)


@pytest.mark.parametrize(
    ("asked", "answer", "next_to_it", "message", "own", "left_out"),
    [
        (
            "How long is the guarantee of a dishwasher?",
            "The spray arms of Merlin dishwashers have eight years from the maker.",
            "And the oven?",
            "Does it cover the glass?",
            "oven",
            ("spray arms", "maker"),
        ),
        (
            "What does the choir cost?",
            "Members of the brass section rent a tuba for nine euros.",
            "And the theatre group?",
            "When does it meet?",
            "theatre group",
            ("brass section", "tuba"),
        ),
    ],
)
def test_an_answer_that_only_says_again_what_was_said_gives_no_words(
    talk: Any, asked: str, answer: str, next_to_it: str, message: str, own: str, left_out: tuple[str, ...]
) -> None:
    """It was found by words of the first answer and told nothing of what was asked anew."""
    talk.say(asked, answer)
    talk.say(next_to_it, answer)
    heard = talk.hear(message)
    assert holds(heard.query, own)
    assert not [words for words in left_out if holds(heard.query, words)]


@pytest.mark.parametrize(
    ("asked", "answer", "message", "kept", "left_out"),
    [
        (
            "How many free exam places does a Cirrus partner get?",
            "Twelve a year.",
            "what monthly demo credit does that level come with?",
            "Cirrus",
            "exam",
        ),
        (
            "How many guest nights come with the Larch membership?",
            "Six a season.",
            "does that tier include a locker?",
            "Larch",
            "guest nights",
        ),
        (
            "What parking permits do Ferry Lane residents need?",
            "A yellow one.",
            "who cleans the gutters in that street?",
            "Ferry Lane",
            "parking permits",
        ),
    ],
)
def test_a_question_of_its_own_about_a_named_thing_takes_the_name_and_not_what_was_asked_of_it(
    talk: Any, asked: str, answer: str, message: str, kept: str, left_out: str
) -> None:
    talk.say(asked, answer)
    heard = talk.hear(message)
    assert holds(heard.query, kept)
    assert not holds(heard.query, left_out)


def test_without_a_name_the_thing_itself_is_taken(talk: Any) -> None:
    talk.say("How long is the warranty on a crib?", "Two years.")
    assert holds(talk.hear("does that warranty cover scratches from moving?").query, "crib")


def test_of_a_thing_pointed_at_by_its_kind_and_known_by_name_the_answer_adds_nothing(talk: Any) -> None:
    talk.say("What is the Larch membership good for?", "It opens the sauna and the two towers.")
    heard = talk.hear("how many swimming lessons does that membership include?")
    assert holds(heard.query, "Larch")
    assert not holds(heard.query, "sauna") and not holds(heard.query, "towers")


@pytest.mark.parametrize(
    ("begun", "told", "between", "message", "kept"),
    [
        (
            "what tiers are in your loyalty programme",
            "Three: bronze, silver and gold.",
            "when do they run out?",
            "New question, is it something trade accounts can use as well?",
            "loyalty programme",
        ),
        (
            "How long may I borrow a telescope?",
            "For four weeks.",
            "and how does one get there?",
            "Changing the subject a little: is it insured against rain?",
            "telescope",
        ),
    ],
)
def test_a_reference_after_a_turn_that_named_nothing_means_the_turn_before_it(
    talk: Any, begun: str, told: str, between: str, message: str, kept: str
) -> None:
    talk.say(begun, told)
    talk.say(between, "After a year and a half.")
    assert holds(talk.hear(message).query, kept)


@pytest.mark.parametrize(
    ("asked", "answer", "message", "kept"),
    [
        (
            "Our auditors want the encryption keys kept in our building. Is there a way?",
            "Yes, external keys. A proxy of your own answers for them.",
            "Another point entirely: is Madrid able to offer them?",
            "external keys",
        ),
        (
            "Is there a bicycle that my daughter can ride to school in snow?",
            "Yes, the fatbike bicycle with studs.",
            "On a different note, can it be rented by the week?",
            "fatbike",
        ),
    ],
)
def test_a_change_of_aspect_keeps_which_of_its_kind_the_answer_said(
    talk: Any, asked: str, answer: str, message: str, kept: str
) -> None:
    talk.say(asked, answer)
    assert holds(talk.hear(message).query, kept)
