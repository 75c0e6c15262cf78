"""Passages that do not all fit are shortened to what speaks of the question."""

from __future__ import annotations

from conversations.domain.answer import Passage
from conversations.domain.compression import GAP, compress, essence
from conversations.domain.window import build_window, estimate_tokens

LOANS = (
    "Members may borrow ten books at a time. The reading room opens at nine. Lost books are charged at cost. "
    "The fine for a late return is 20 cents a day. It stops at five euros. The café serves soup."
)
TABLE = "## Opening hours\n| Branch | Opens |\n| --- | --- |\n| Harbour | 9:00 |\n| Castle | 10:00 |\n| Mill | 11:00 |"


def passage(number: int, text: str) -> Passage:
    return Passage(f"c{number}", "d", "Handbook", (), None, text)


def cost(item: Passage) -> int:
    return estimate_tokens(item.text)


def test_it_touches_nothing_when_everything_fits() -> None:
    shelf = (passage(1, LOANS), passage(2, TABLE))
    assert compress(shelf, "fine for a late return", 500, cost) == shelf


def test_it_keeps_the_sentences_about_the_question_and_the_one_that_follows() -> None:
    short = essence(LOANS, frozenset({"fine", "late"}))
    assert short == f"{GAP} The fine for a late return is 20 cents a day. It stops at five euros. {GAP}"


def test_it_keeps_the_header_of_a_table_with_the_row_asked_for() -> None:
    short = essence(TABLE, frozenset({"castle"}))
    assert short.splitlines()[:3] == TABLE.splitlines()[:3]
    assert "Castle" in short
    assert "Harbour" not in short
    assert "Mill" not in short


def test_a_text_that_shares_no_word_keeps_its_first_sentence() -> None:
    assert essence(LOANS, frozenset({"parking"})).startswith("Members may borrow ten books at a time.")


def test_the_best_passage_is_the_last_to_be_shortened() -> None:
    shelf = tuple(passage(n, LOANS) for n in range(3))
    shown = compress(shelf, "fine for a late return", 2 * cost(shelf[0]) + 40, cost)
    assert [p.text == LOANS for p in shown] == [True, True, False]


def test_shortening_lets_a_window_show_more_passages() -> None:
    shelf = tuple(passage(n, LOANS * 4) for n in range(12))
    asked = build_window(message="What is the fine for a late return?", passages=shelf)
    blind = build_window(message="?", passages=shelf)
    assert len(asked.passages) > len(blind.passages)
    assert asked.tokens["passages"] <= 2100
