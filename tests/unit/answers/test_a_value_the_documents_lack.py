"""A place, plan or version that no passage holds is called missing, also where nothing but its place in the question tells it."""

from __future__ import annotations

import pytest

from conversations.domain.answer import Passage
from conversations.domain.answer.extract import extract_answer
from conversations.domain.answer.missing import missing_value

CLINIC = (
    ("Opening hours", "Our practice in Dublin is open from 8:00 to 18:00. On Saturdays it is open until 13:00."),
    ("Galway", "Our practice in Galway is open from 9:00 to 17:00."),
    ("Fees", "A consultation costs €65. You can pay in cash or by card."),
)  # fmt: skip
SHOP = (
    ("Delivery", "Delivery to Norway costs €14. Delivery to the Netherlands costs €9."),
    ("Stores", "| Store | Sunday |\n|---|---|\n| Leeds | 11:00 to 17:00 |\n| Norwich | closed |"),
    ("Café", "There is soup in the café of the Leeds branch."),
)  # fmt: skip
CLOUD = (
    ("Plans", "The Starter plan costs $9 a month. The Team plan costs $29 a month."),
    ("Backups", "Backups are kept for 14 days on the Team plan."),
    ("Releases", "Version 4.2 was released in March 2024. Version 4.1 was released in May 2023."),
    ("SDKs", "The Python SDK needs Python 3.9 or later. The Go SDK needs Go 1.21."),
)  # fmt: skip
STAFF = (
    ("Parental leave", "Employees in Germany have three years of parental leave. Employees in Spain have 16 weeks."),
    ("Allowance", "The daily allowance for travel in France is €55."),
    ("Grades", "Grades 1 to 6 are paid weekly. Step 2 is reached after a year."),
)  # fmt: skip
TRAVEL = (
    ("Flights", "Flights to Lisbon leave on Mondays. Flights to Porto leave on Fridays."),
    ("Rooms", "The Garden suite has a terrace. The Lake suite has a sauna."),
)


def passages(texts: tuple[tuple[str, str], ...]) -> tuple[Passage, ...]:
    return tuple(
        Passage(f"c{n}", f"d{n}", title, (title,), None, text) for n, (title, text) in enumerate(texts)
    )


@pytest.mark.parametrize(
    ("texts", "message", "missing"),
    [
        (CLINIC, "what are the opening hours in cork", "cork"),
        (CLINIC, "when are you open in cork on saturday?", "cork"),
        (CLINIC, "Opening hours in Cork?", "Cork"),
        (SHOP, "how much is delivery to portugal", "portugal"),
        (SHOP, "what do you take for delivery to sri lanka?", "sri lanka"),
        (SHOP, "do you guys ship to iceland?", "iceland"),
        (SHOP, "Manchester store opening hours", "Manchester"),
        (SHOP, "is the manchester store open on sunday?", "manchester"),
        (CLOUD, "how long are backups kept on the enterprise plan?", "enterprise"),
        (CLOUD, "price of the business plan", "business"),
        (CLOUD, "which version does the rust sdk need", "rust"),
        (CLOUD, "When was version 5.0 released?", "version 5.0"),
        (STAFF, "how much parental leave do employees in poland get", "poland"),
        (STAFF, "what is the allowance for travel in austria?", "austria"),
        (TRAVEL, "when is there a flight to madrid?", "madrid"),
        (TRAVEL, "does the forest suite have a terrace?", "forest"),
    ],
)
def test_it_is_called_missing(texts: tuple[tuple[str, str], ...], message: str, missing: str) -> None:
    found = missing_value(message, passages(texts))
    assert found is not None and found.text == missing


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        # It is there, in another form, misspelt, or without its accent.
        (CLINIC, "what are the opening hours in dublin"),
        (SHOP, "how much is delivery to the netherland"),
        (SHOP, "how much is delivery to norwey"),
        (SHOP, "what is there to eat in the cafe"),
        (CLOUD, "what does the team plan cost"),
        # Ways to say how something is done are no values.
        (CLINIC, "can I pay in advance"),
        (CLINIC, "can i pay the consultation in instalments?"),
        (CLINIC, "do I have to come in person"),
        (SHOP, "can I send it back from abroad"),
        # A verb, a purpose, a quality, a generic kind.
        (SHOP, "what do I have to register?"),
        (SHOP, "how much does postage cost to Norway"),
        (SHOP, "do you deliver to islands"),
        (SHOP, "which store is closed for stocktaking"),
        (CLOUD, "what does the cheapest plan cost"),
        (CLOUD, "how do I cancel my subscription plan"),
        (CLOUD, "which subscription plans do you have"),
        (CLOUD, "can I switch to another plan"),
        (CLOUD, "does the fourth plan have backups"),
        # A number that a range may hold, or that counts something else.
        (STAFF, "how is grade 4 paid"),
        (STAFF, "are grades 4 and 5 paid weekly"),
        (CLOUD, "does the sdk run on python 3.12"),
        (CLOUD, "can I return it within 45 days"),
        # Told, not asked.
        (SHOP, "We live in ohio, what does delivery to Norway cost?"),
        (CLINIC, "i work in cork. when is the practice in dublin open?"),
        (SHOP, "UK delivery price"),
    ],
)
def test_it_is_not_called_missing(texts: tuple[tuple[str, str], ...], message: str) -> None:
    assert missing_value(message, passages(texts)) is None


def test_the_documents_must_have_another_value_in_its_place() -> None:
    texts = (("Fees", "A consultation costs €65."), ("Plans", "You choose a plan when you register."))
    assert missing_value("what does a consultation cost in cork", passages(texts)) is None
    assert missing_value("what does the enterprise plan cost", passages(texts)) is None
    assert missing_value("what is in version 5.0", passages(texts)) is None


def test_the_closest_is_offered_as_what_it_is() -> None:
    answer = extract_answer("opening hours in cork", "opening hours in cork", passages(CLINIC))
    assert answer.text.startswith("I could not find anything about cork in the documents you can see.")
    assert "The closest I found:" in answer.text and "Dublin" in answer.text
    assert answer.missing == "cork" and not answer.confident


def test_a_sentence_that_refers_back_is_offered_with_the_one_before() -> None:
    answer = extract_answer(
        "is it open in Cork on Saturdays?", "is it open in Cork on Saturdays?", passages(CLINIC)
    )
    assert answer.text.index("Our practice in Dublin") < answer.text.index("On Saturdays it is open")


def test_what_does_not_say_what_it_is_about_is_offered_with_its_heading() -> None:
    texts = (("Leeds Briggate", "Open from 09:30 to 19:00, on Sunday from 11:00 to 17:00."),)
    answer = extract_answer("opening hours in Manchester", "opening hours in Manchester", passages(texts))
    assert "The closest I found, under “Leeds Briggate”:" in answer.text


@pytest.mark.parametrize("message", ["and on saturday?", "is it open there on Saturday?"])
def test_what_was_called_missing_still_is_where_the_question_carries_it_on(message: str) -> None:
    told = (
        "I could not find anything about Cork in the documents you can see. The closest I found:\n\nDublin",
    )
    found = missing_value(message, passages(CLINIC), query=f"{message} Cork", told=told)
    assert found is not None and found.text == "Cork"
    assert missing_value(message, passages(CLINIC), query=f"{message} Cork") is None
    assert missing_value(message, passages(CLINIC), query=f"{message} Dublin", told=told) is None


@pytest.mark.parametrize(
    "message",
    [
        "and galway?",
        "is the Dublin one open on Saturday?",
        "what does a consultation cost?",
        "is it open in galway?",
    ],
)
def test_what_was_called_missing_is_over_once_something_else_is_asked(message: str) -> None:
    told = (
        "I could not find anything about cork in the documents you can see. The closest I found:\n\nDublin",
    )
    assert missing_value(message, passages(CLINIC), query=f"{message} cork", told=told) is None
    again = missing_value("and cork?", passages(CLINIC), query="and cork?", told=told)
    assert again is not None and again.text == "cork"
