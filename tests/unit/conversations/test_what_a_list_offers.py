"""Which entries an answer lists, in which order, and which of them "the second one" means a turn or two later."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.adapters.language.spacy_en import SpacyEnglish
from conversations.domain.offers import kinds_asked_for, offered_items, whole
from conversations.domain.state import Term
from conversations.domain.words import contains_key, key_of

BENCH = "Repair: Resole welted shoes, New heel, Re-glue a chair, Sharpen a knife [1]."


@pytest.mark.parametrize(
    ("question", "answer", "items"),
    [
        ("can you list the repairs you do", BENCH.replace(" [1]", ""), "Resole welted shoes|New heel|Re-glue a chair|Sharpen a knife"),
        ("what tariffs are there?", "Tariff: Reader, Family, Scholar.", "Reader|Family|Scholar"),
        ("what tariffs are there?", "There are two: Reader and Scholar.", "Reader|Scholar"),
        ("what tariffs are there?", "| Tariff | Price |\n|---|---|\n| Reader | 5 |\n| Family | 9 |", "Reader|Family"),
        ("what tariffs are there?", "- **Reader**: 5 euros\n- **Family**: 9 euros", "Reader|Family"),
        ("which towns?", "It comprises the Hague, Delft and Leiden.", "Hague|Delft|Leiden"),
        # An answer that is nothing but a list, for who asked for several things.
        ("which manuals do you have for the mower?", "Blades, petrol tank and wheels.", "Blades|petrol tank|wheels"),
        ("any ideas for an outing?", "Seal watching, steam trip, island day trip.", "Seal watching|steam trip|island day trip"),
        ("which manuals do you have?", "Sorry, none.", ""),
        ("which manuals do you have?", "Only the one for wheels, tyres and brakes, which costs 9 euros.", ""),
        # What follows the name of a thing that was asked about, and the rows of a table written out.
        ("What tiers does The Grove have?", "The Grove: Seedling, Sapling, Cedar, Redwood.", "Seedling|Sapling|Cedar|Redwood"),
        ("Which halls have a lift?", "Lift: Ashton yes, Burley no, Corby yes.", ""),
        ("What workshops are there?", "Hanging wallpaper: Store Leeds, Hours 3, Price £55. Sharpening knives: Store York, Hours 2, Price £35.", "Hanging wallpaper|Sharpening knives"),
        ("when is it open?", "Norwich: Where own yard, Price free for customers. Leeds: Where street, Price 2 pounds.", ""),
        # A row of values is no list, nor are clauses that follow one another.
        ("how much is a new heel", "New heel: Price £14, Time 4 days.", ""),
        ("what does the Reader tariff include?", "Reader: Price 5 euros, Films no, Audiobooks yes.", ""),
        ("what happened?", "The pool is closed, the heating failed and nobody was there.", ""),
    ],
)  # fmt: skip
def test_it_reads_the_entries_of_a_list(
    language: SpacyEnglish, question: str, answer: str, items: str
) -> None:
    listed = kinds_asked_for(language.analyse(question))
    found = offered_items(answer, language.analyse(answer), listed)
    assert "|".join(item.text for item in found) == items


def test_an_entry_of_a_list_is_the_name_that_grammar_sees_in_it(language: SpacyEnglish) -> None:
    answer = "Region: Stockholm, Frankfurt, Dublin."
    found = offered_items(answer, language.analyse(answer), frozenset({"region"}))
    assert {item.type for item in found} == {"place"}


def test_no_entry_is_cut_to_a_word_of_it() -> None:
    terms = (Term("Resole", "resole"), Term("repair", "repair"), Term("New", "new"))
    assert [
        t.text for t in whole(terms, "Repair: Resole welted shoes, New heel.", frozenset({"repair"}))
    ] == ["repair"]


def _query(talk: Any, message: str) -> str:
    return key_of(talk.hear(message).query)


def test_it_picks_from_the_list_that_was_shown_last(talk: Any) -> None:
    talk.say("what tariffs are there?", "Tariff: Reader, Family, Scholar.")
    talk.say("which branches do you have?", "Branch: Galway, Cork, Limerick.")
    assert contains_key(_query(talk, "when does the second one open?"), "cork")


def test_it_goes_on_with_the_list_that_was_picked_from(talk: Any) -> None:
    talk.say("what tariffs are there?", "Tariff: Reader, Family, Scholar.")
    talk.say("how much is the second one?", "It costs 20 euros, payable by card, by transfer or in cash.")
    assert contains_key(_query(talk, "and the third?"), "scholar")
    talk.say("and the third?", "It is free.")
    assert contains_key(_query(talk, "and the first one?"), "reader")


def test_it_means_the_entry_that_was_picked(talk: Any) -> None:
    talk.say("which branches do you have?", "Branch: Galway, Cork, Limerick.")
    talk.say("tell me more about the second one", "The branch was opened in 1987.")
    assert contains_key(_query(talk, "how many rooms has it got?"), "cork")
    assert talk.hear("and Limerick?").query.startswith("tell me more about Limerick")


def test_a_person_sees_the_entry_that_was_meant(talk: Any) -> None:
    talk.say("can you list the repairs you do", BENCH.replace(" [1]", ""))
    assert talk.hear("how much is the third").ruling.display == "how much is “Re-glue a chair”"
    assert talk.hear("how long does the second one take?").ruling.display == "how long does “New heel” take?"


def test_a_choice_of_places_carries_what_they_are_and_nothing_else(talk: Any) -> None:
    talk.say("can I bring my dog to the store?", "Dogs on a lead are welcome in Bristol, Leeds and Dublin.")
    query = _query(talk, "which one has parking?")
    assert contains_key(query, "store") and not contains_key(query, "dog") and not contains_key(query, "lead")


def test_both_means_the_two_that_the_message_names_itself(read: Any) -> None:
    assert "choice" not in {
        mark.value for mark, _ in read("I like hiking and Malbec. How can I enjoy both?").marks
    }
    assert "choice" in {mark.value for mark, _ in read("How much are both?").marks}


@pytest.mark.parametrize(
    "message", ["is the last of those open in winter?", "can children ride the third one?"]
)
def test_of_what_was_picked_none_of_the_other_entries_rides_along(talk: Any, message: str) -> None:
    talk.say(
        "How do I get up the mountain?",
        "There are three ways:\n1. The footpath\n2. The chairlift at Oberdorf\n3. The rack railway",
    )
    query = key_of(talk.hear(message).query)
    assert contains_key(query, "rack railway")
    assert not contains_key(query, "chairlift") and not contains_key(query, "oberdorf")


def test_a_place_in_a_list_that_cannot_be_read_takes_no_entry_at_all(talk: Any) -> None:
    talk.say("Which huts take dogs?", "The Alder and the Birch take dogs; the Cedar takes only small ones.")
    query = key_of(talk.hear("how does one book the third?").query)
    assert not any(contains_key(query, name) for name in ("alder", "birch"))


@pytest.mark.parametrize(
    ("asked", "entries", "message", "meant"),
    [
        ("Which tariffs do you sell?", "Reader|Family|Scholar", "what does the middle one cost?", "Family"),
        ("Which rooms can I book?", "Alder|Birch|Cedar|Douglas", "how big is the second from the end?", "Cedar"),
        ("Which ferries run to Skarn?", "Fulmar|Petrel|Gannet|Tern", "does the third to last take cars?", "Petrel"),
        ("Which wards allow visitors?", "Linnet|Rowan|Bramble", "do the last two have a day room?", "Rowan|Bramble"),
        # Nothing stands in the middle of four.
        ("Which leave can staff take?", "Parental|Study|Sick|Unpaid", "is the middle one paid?", ""),
    ],
)  # fmt: skip
def test_a_place_in_a_list_picks_its_entry_and_no_other(
    talk: Any, asked: str, entries: str, message: str, meant: str
) -> None:
    items = entries.split("|")
    talk.say(asked, "\n".join(f"{n}. {item}" for n, item in enumerate(items, 1)))
    query = key_of(talk.hear(message).query)
    assert [item for item in items if contains_key(query, key_of(item))] == list(
        filter(None, meant.split("|"))
    )
