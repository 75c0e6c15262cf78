"""A misspelt word is read as the word of the passages that it is like; what is no mistake stays as typed."""

from __future__ import annotations

import pytest

from conversations.adapters.language.spacy_en import SpacyEnglish
from conversations.domain.answer import Passage
from conversations.domain.misspelt import corrections, respelt

PASSAGES = tuple(
    Passage(f"c{n}", f"d{n}", title, (), None, text)
    for n, (title, text) in enumerate(
        (
            ("Delivery", "Delivery to Norway costs €14. A refund takes ten days."),
            ("Annual leave", "Employees have an allowance of 25 days. The manager approves it."),
            ("Backups", "Backups on postgres are kept for two weeks. External keys are stored apart."),
            (
                "Surgery",
                "A prescription costs €25. The consultation is with Dr Alvarez. Sweets are sold here.",
            ),
            ("Prices", "The horse ride costs €30, the house wine €6. Vorlex is our loyalty programme."),
        )
    )
)


@pytest.fixture(scope="module")
def english() -> SpacyEnglish:
    return SpacyEnglish()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("how much is delivry", "delivery"),
        ("how do I get a refnud", "refund"),
        ("Dilevery costs?", ""),  # two slips are too many
        ("Delivvery costs?", "delivery"),
        ("what is the allowence in france", "allowance"),
        ("do employes get it", "employees"),
        ("are bakcups kept", "backups"),
        ("postrges connections", "postgres"),
        ("can I use extrenal keys", "external"),
        ("what does a perscription cost", "prescription"),
        ("price of a consultaton", "consultation"),
    ],
)
def test_a_slip_is_read_as_what_the_passages_say(english: SpacyEnglish, typed: str, meant: str) -> None:
    assert list(corrections(typed, PASSAGES, english.knows).values()) == ([meant] if meant else [])


@pytest.mark.parametrize(
    "typed",
    [
        "how much is delivery to norway",
        "what is the cheapest hours package",  # English words that are like others of the passages
        "does the hose leak",
        "may I leave my bike",
        "does it come in external colours",
        "who is Alvaraz",  # a name
        "what is Vorlax",
        "the backup of my prescriptions",  # another form of the word
        "order AB-12345 and refund@example.com",
        "go to www.delivry.example please",
        "what about the RFUND",
        "cost of it",
    ],
)
def test_what_is_no_mistake_stays_as_typed(english: SpacyEnglish, typed: str) -> None:
    assert corrections(typed, PASSAGES, english.knows) == {}


def test_what_is_like_two_words_stays_as_typed(english: SpacyEnglish) -> None:
    two = (Passage("c", "d", "", (), None, "The lorrain and the borrain."), *PASSAGES)
    assert corrections("is it a lorrein or xorrain", two, english.knows) == {"lorrein": "lorrain"}
    two = (Passage("c", "d", "", (), None, "The plonker and the planker."),)
    assert corrections("a plunker please", two, english.knows) == {}


def test_words_are_put_in_their_place_as_whole_words() -> None:
    assert respelt("delivry of a delivryman", {"delivry": "delivery"}) == "delivery of a delivryman"


def test_a_mistake_that_was_read_before_is_still_unknown(english: SpacyEnglish) -> None:
    english.analyse("how much is delivry to norway")
    assert english.knows("delivery") and not english.knows("delivry")
