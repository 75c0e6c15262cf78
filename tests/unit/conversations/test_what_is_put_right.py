"""A correction puts the right word in the place of the wrong one, and the last question is asked again with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conversations.domain.corrections import instead_in, is_correction, is_phrase, retyped, right_in
from conversations.domain.cues import CueKind, split_cue
from conversations.domain.reading import Reading
from conversations.domain.spelling import slips

Case = tuple[str, str, str]

# The last question, the correction, and the question that is searched.
MISSPELT: dict[str, Case] = {
    "typo and a colon": ("what's the dosage of ibuprofin for children", "sorry, typo: ibuprofen", "what's the dosage of ibuprofen for children"),
    "an asterisk": ("can i take unpaid leeve in june", "*leave", "can i take unpaid leave in june"),
    "an asterisk behind": ("what is the delivery fee to Norwey", "Norway*", "what is the delivery fee to Norway"),
    "sorry and an asterisk": ("how do I chnage my seat", "sorry, *change", "how do I change my seat"),
    "I mean": ("how much is a bedd", "i mean bed", "how much is a bed"),
    "spelling mistake": ("can I retrun a parcel", "spelling mistake: return", "can I return a parcel"),
    "two words": ("when is maternty leave paid", "*maternity leave", "when is maternity leave paid"),
    "an arrow": ("can I send a matress back", "matress -> mattress", "can I send a mattress back"),
    "typed again": ("how do I reset my pasword", "password", "how do I reset my password"),
    "a function word": ("how do I fill in the from", "*form", "how do I fill in the form"),
}  # fmt: skip
MISTAKEN: dict[str, Case] = {
    "a phrase grammar tears apart": ("How long are backups kept?", "no, I mean audit logs", "How long are audit logs kept?"),
    "of one head": ("How long are access logs stored?", "no, I mean audit logs", "How long are audit logs stored?"),
    "an asterisk before another thing": ("when is parental leave paid", "*maternity leave", "when is maternity leave paid"),
    "a name for a name with its noun": ("What is the RPO on the Business tier in Dublin?", "no, Standard", "What is the RPO on the Standard tier in Dublin?"),
    "a metal for a metal": ("What is the price of the Gold tariff in Porto?", "no, Silver", "What is the price of the Silver tariff in Porto?"),
    "a town for a town": ("What is the price of the Gold tariff in Porto?", "no, Lisbon", "What is the price of the Gold tariff in Lisbon?"),
    "a town that looks like a person": ("What is the price of the Gold tariff in Porto?", "no, Cork", "What is the price of the Gold tariff in Cork?"),
    "not X, Y": ("when is the Dublin store open", "not Dublin, Cork", "when is the Cork store open"),
    "not X - Y": ("is there parking in Leeds", "not Leeds - York", "is there parking in York"),
    "not X but Y": ("how do I book annual leave?", "not annual but sick", "how do I book sick leave?"),
    "Y, not X": ("is there wifi in the lounge", "the lobby, not the lounge", "is there wifi in the lobby"),
    "Y not X": ("when does the ferry to Oslo leave", "no, I meant Bergen not Oslo", "when does the ferry to Bergen leave"),
    "two articles": ("is the pool open on monday", "not the pool the sauna", "is the sauna open on monday"),
    "both with one": ("tell me about the castle tour", "not the castle one, the night one", "tell me about the night tour"),
    "a day": ("is the pool open on monday", "not monday, tuesday", "is the pool open on tuesday"),
    "wait": ("how much is it to deliver a sofa to Norway", "no wait, a mattress", "how much is it to deliver a mattress to Norway"),
    "the first word in common": ("when does the reading room open", "sorry reading cafe", "when does the reading cafe open"),
    "more of the same": ("what notice do I have to give", "*notice period", "what notice period do I have to give"),
    "a longer name": ("is there parking in Leeds", "oops, Leeds Central", "is there parking in Leeds Central"),
    "a counterpart": ("How do I export invoices as PDF?", "no, import", "How do I import invoices as PDF?"),
    "another counterpart": ("how do I upload a file", "sorry, download", "how do I download a file"),
    "sorry at the end": ("what's the interest rate on the savings account", "checking account sorry", "what's the interest rate on the checking account"),
    "a long apology": ("Is the Lisbon office open on Friday?", "sorry for the confusion, I meant Saturday", "Is the Lisbon office open on Saturday?"),
    "apologies": ("Is the Lisbon office open on Friday?", "my apologies, Sunday", "Is the Lisbon office open on Sunday?"),
    "one word of three": ("how much is next day delivery", "i mean same day", "how much is same day delivery"),
    "a preposition": ("how much is a single room with breakfast", "no, without breakfast", "how much is a single room without breakfast"),
    "a direction": ("Which bus goes to the airport?", "no, from the airport", "Which bus goes from the airport?"),
    "a unit": ("What does a parking permit cost per month?", "sorry, per year", "What does a parking permit cost per year?"),
    "a verb for the verb": ("how do I delete my account", "I mean deactivate", "how do I deactivate my account"),
    "another verb": ("how do I book a meeting room", "no, cancel", "how do I cancel a meeting room"),
    "the wrong one": ("who do I contact for a security incident", "sorry wrong one, a data breach", "who do I contact for a data breach"),
    "mine": ("my order is late, where is it", "sorry, my refund", "my refund is late, where is it"),
    "after all": ("what is the fee in Zurich", "Basel after all", "what is the fee in Basel"),
    "a colon": ("what does the Silver tariff cost", "no, not Silver: Gold", "what does the Gold tariff cost"),
    "whoops": ("when does the museum open on saturday", "whoops sunday", "when does the museum open on sunday"),
    "an audience": ("what's the dosage of ibuprofen for children", "I mean adults", "what's the dosage of ibuprofen for adults"),
    "at the end": ("who approves trips to Paris", "Prague I mean", "who approves trips to Prague"),
    "a quality": ("What does a room with sea view cost in July?", "no, garden view", "What does a room with garden view cost in July?"),
    "many for many": ("how many users can I have on Business?", "*seats", "how many seats can I have on Business?"),
}  # fmt: skip
NUMBERS: dict[str, Case] = {
    "the N-year one": ("How much is the 2-year warranty for a dishwasher?", "no, I meant the 5-year one", "How much is the 5-year warranty for a dishwasher?"),
    "in words": ("How much is the two-year warranty?", "sorry, the three-year one", "How much is the three-year warranty?"),
    "a compound": ("what holidays do full-time staff get", "no, part-time", "what holidays do part-time staff get"),
    "years for a year": ("What discount do I get if I commit for 1 year?", "no, the 3-year one", "What discount do I get if I commit for 3 years?"),
    "the colour alone": ("How much is the red sofa?", "no, I meant the blue one", "How much is the blue sofa?"),
    "a sum": ("Who approves trips over 2000 euros", "no, I meant 500", "Who approves trips over 500 euros"),
    "a bare number": ("When was version 15 released?", "oops, 16", "When was version 16 released?"),
    "a year": ("What was the fee in 2023?", "sorry, 2024", "What was the fee in 2024?"),
}  # fmt: skip
ALL = {f"{name} {n}": case for n, group in enumerate((MISSPELT, MISTAKEN, NUMBERS)) for name, case in group.items()}  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_the_last_question_is_asked_again_with_the_right_word(talk: Any, name: str) -> None:
    question, message, searched = ALL[name]
    talk.say(question, "That depends.")
    heard = talk.hear(message)
    assert (heard.query, heard.ruling.display) == (searched, searched)


def test_what_was_said_before_tells_a_plan_from_a_town(talk: Any) -> None:
    talk.say(
        "What does the Basic tariff cost in Porto?", "The Basic tariff costs 9 euros, the York tariff 12."
    )
    assert talk.hear("no, York").query == "What does the York tariff cost in Porto?"


def test_a_town_that_was_spoken_of_stays_a_town(talk: Any) -> None:
    talk.say("What does the Basic tariff cost in Porto?", "9 euros in Porto, 12 euros in Leeds.")
    assert talk.hear("no, Leeds").query == "What does the Basic tariff cost in Leeds?"


def test_a_correction_is_no_other_language(read: Callable[[str], Reading]) -> None:
    for message in ("I meant per hour", "er, in Bath, sorry", "sorry, per month"):
        assert read(message).analysis.language == "en"


def test_a_second_correction_puts_the_same_word_right(talk: Any) -> None:
    talk.say("can pregnant women take aspirine", "Ask a doctor.")
    talk.say("*aspirin", "Ask a doctor.")
    assert talk.hear("*ibuprofen").query == "can pregnant women take ibuprofen"


def test_who_insists_asks_the_same_again(talk: Any) -> None:
    talk.say("how much is parking in York", "5 pounds.")
    assert talk.hear("no, I said York").query == "how much is parking in York"


def test_a_whole_question_is_searched_without_its_apology(talk: Any) -> None:
    talk.say("do you match prices of markets", "No.")
    heard = talk.hear("I meant do you match prices of online shops")
    assert heard.query.startswith("do you match prices of online shops")


def test_what_takes_the_place_of_a_town_is_a_town(talk: Any) -> None:
    talk.say("What does parking cost in Porto?", "5 euros.")
    talk.say("no, Cork", "6 euros.")
    assert (talk.slot("Cork").type, talk.status("Porto")) == ("place", "superseded")


def test_a_phrase_that_was_put_right_is_carried_whole(talk: Any) -> None:
    talk.say("How long are backups kept?", "A year.")
    talk.say("no, I mean audit logs", "30 days.")
    assert talk.hear("and where are they kept?").query.endswith("audit logs")


def test_an_ellipsis_names_its_phrase_whole(talk: Any) -> None:
    talk.say("How long is maternity leave?", "16 weeks.")
    assert talk.hear("and paternity leave?").query == "How long is paternity leave?"


def test_what_was_misspelt_is_no_side_of_a_comparison(talk: Any) -> None:
    talk.say("what's the dosage of ibuprofin", "400 mg.")
    talk.say("*ibuprofen", "400 mg.")
    talk.say("and aspirin?", "500 mg.")
    assert [side.text for side in talk.hear("which is stronger?").scope.compared.sides] == [
        "ibuprofen",
        "aspirin",
    ]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("how do I return a gift?", "no, I mean exchange it"),  # a clause of its own
        ("can I take the bike on the train", "spelling mistake: bus"),  # nothing says which of the two
        ("how long does a repair take", "of shoes?"),  # says more of the repair
    ],
)
def test_it_replaces_nothing_where_nothing_says_what(talk: Any, question: str, message: str) -> None:
    talk.say(question, "Yes.")
    assert not talk.hear(message).query.startswith(question[:12])


@pytest.mark.parametrize(
    ("message", "right"),
    [
        ("sorry, typo: refund", "refund"),
        ("no, I mean audit logs", "audit logs"),
        ("oops I meant for the terrace, sorry", "terrace"),
        ("it should be Norway", "Norway"),
        ("no, that works", ""),
        ("I meant what I said", ""),
        ("sorry, how long does it take?", ""),
        ("I mean it", ""),
    ],
)
def test_it_reads_what_is_right(message: str, right: str) -> None:
    assert right_in(message) == right


@pytest.mark.parametrize(
    ("message", "read"),
    [
        ("not Dublin, Cork", ("Dublin", "Cork")),
        ("Cork, not Dublin", ("Dublin", "Cork")),
        ("I don't mean the bus but the tram", ("bus", "tram")),
        ("the tram instead of the bus", ("bus", "tram")),
        ("not now, thanks", None),
        ("not sure", None),
    ],
)
def test_it_reads_what_was_wrong(message: str, read: tuple[str, str] | None) -> None:
    assert instead_in(message) == read


@pytest.mark.parametrize(
    "message", ["*Norway", "Norway*", "sorry, *change", "no, Standard", "no wait, a mattress"]
)
def test_it_hears_a_correction(message: str, read: Callable[[str], Reading]) -> None:
    reading = read(message)
    assert reading.cue.kind is CueKind.CORRECTION or is_correction(reading.core)


@pytest.mark.parametrize(
    "message",
    [
        "no problem",
        "no, thanks",
        "no, never mind",
        "no, really",
        "no, just curious",
        "No, it is not",
        "*sigh*",
        "* bring your passport\n* bring a photo",
        "is 5 * 4 the number of seats?",
        "no, nothing else",
        "so sorry",
        "sorry for the delay",
        "I am sorry",
    ],
)
def test_it_hears_a_remark(message: str) -> None:
    assert not (split_cue(message).kind is CueKind.CORRECTION or is_correction(message))


def test_two_stars_are_a_gesture_and_one_is_a_correction() -> None:
    assert (retyped("*Norway"), retyped("*sigh*"), retyped("*one two three four five")) == ("Norway", "", "")


@pytest.mark.parametrize(
    ("left", "right", "count"),
    [("leeve", "leave", 1), ("retrun", "return", 1), ("bedd", "bed", 1), ("norwey", "norway", 1), ("oslo", "bergen", 6), ("a", "a", 0), ("", "abc", 3)],
)  # fmt: skip
def test_it_counts_slips(left: str, right: str, count: int) -> None:
    assert slips(left, right) == slips(right, left) == count


def test_a_clause_is_no_phrase() -> None:
    assert is_phrase("audit logs") and is_phrase("terms of service")
    assert not is_phrase("it works") and not is_phrase("delivery to Norway") and not is_phrase("")
