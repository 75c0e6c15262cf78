"""A term occurs in a text as consecutive whole words, with a light plural strip."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.evaluation.matching import contains_term, folded, words_of


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("keys", "key"),
        ("policies", "policy"),
        ("boxes", "box"),
        ("buses", "bus"),
        ("access", "access"),
        ("status", "status"),
        ("analysis", "analysis"),
        ("gas", "gas"),
        ("ties", "tie"),
        ("regions", "region"),
        ("Straße", "strasse"),
    ],
)
def test_it_strips_plurals_lightly(word: str, form: str) -> None:
    assert words_of(word) == (form,)


@pytest.mark.parametrize("term", ["customer-managed key", "KEYS", "managed keys", "Customer"])
def test_it_finds_whole_words_in_a_row_whatever_the_case(term: str) -> None:
    assert contains_term("What do Customer-managed keys cost?", term)


@pytest.mark.parametrize("term", ["custom", "customer key", "cost keys", "", "?!"])
def test_it_finds_no_parts_of_words_no_gaps_and_no_empty_terms(term: str) -> None:
    assert not contains_term("What do customer-managed keys cost?", term)


def test_typographic_and_plain_apostrophes_are_one() -> None:
    assert words_of("O’Neil's") == words_of("O'Neil’s") == ("o", "neil", "s")


@given(st.text(), st.text(min_size=1), st.text())
def test_a_term_is_found_between_any_other_words(before: str, term: str, after: str) -> None:
    assert contains_term(f"{before} {term} {after}", term) == bool(words_of(term))


def test_a_quote_is_found_across_line_breaks() -> None:
    assert folded("kept for 400 days") in folded("It is\nkept   for\n400 days.")
