"""What makes a turn of a scenario ok."""

from __future__ import annotations

from conversations.evaluation.scenarios.judging import judged, recall
from conversations.evaluation.scenarios.script import Expectation
from tests.unit.scenarios.builders import passage

LOAN = Expectation(
    required=("loan", "picture book|children's book"),
    forbidden=("reading room",),
    gold=("rules.md#picture books are lent for two weeks",),
)
FOUND = [passage("All picture books are lent\nfor two weeks, like films.")]


def test_it_is_ok_with_every_required_term_none_forbidden_and_the_passage():
    assert judged(LOAN, "How long is the loan of picture books?", (), FOUND).ok


def test_it_takes_any_alternative_of_a_term():
    assert judged(LOAN, "loan period children's books", (), FOUND).missing == ()


def test_it_names_what_the_query_lacks():
    judgement = judged(LOAN, "How long is the loan of it?", (), FOUND)

    assert judgement.missing == ("picture book|children's book",)
    assert not judgement.understood
    assert not judgement.ok


def test_it_does_not_take_a_part_of_a_word_for_the_word():
    assert "loan" in judged(LOAN, "reloaned picture books", (), FOUND).missing


def test_it_finds_a_forbidden_term_in_any_text_that_was_searched():
    query = "loan of picture books"

    assert judged(LOAN, query, (query, "loan in the reading room"), FOUND).unwanted == ("reading room",)


def test_it_is_not_ok_when_no_gold_passage_came_back():
    judgement = judged(LOAN, "loan of picture books", (), [passage("Films are lent for a week.")])

    assert judgement.understood
    assert not judgement.ok


def test_it_is_not_ok_when_the_quote_stands_in_another_document():
    elsewhere = [passage(FOUND[0].text, "news.md")]

    assert judged(LOAN, "loan of picture books", (), elsewhere).found == 0


def test_it_asks_for_no_passage_where_none_is_named():
    judgement = judged(Expectation(required=("loan",)), "loan", (), [])

    assert judgement.found is None
    assert judgement.ok


def test_recall_counts_the_gold_passages_that_came_back():
    gold = ("rules.md#two weeks", "rules.md#one month")

    assert recall(gold, FOUND) == 0.5
