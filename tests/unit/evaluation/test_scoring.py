"""How an outcome is scored, and what the scores come to."""

from __future__ import annotations

import math
from typing import Any

import pytest

from conversations.evaluation.items import Exchanged, Labels, Question
from conversations.evaluation.metrics import by_stratum, figures, interval, matches, score
from conversations.evaluation.running import Found, Outcome

QUESTION = Question("q", "near_followup", (Exchanged("RPO in Dublin?", "15 minutes."),), "and the RTO?")


def outcome(*names: str, query: str = "and the RTO? Dublin", **more: Any) -> Outcome:
    found = tuple(Found(name, f"text of {name}") for name in names)
    facts = {"searched": (query,), "rewritten": True, "kind": "follow_up", "verdict": "clean", **more}
    return Outcome(question=QUESTION, query=query, display=query, found=found, **facts)


def test_recall_is_the_share_of_the_gold_that_came_back() -> None:
    told = score(outcome("a", "x", "b", "y", "z", "c"), Labels(gold=("a", "b", "c", "d")))

    assert (told.recall5, told.recall10) == (0.5, 0.75)


def test_a_passage_found_twice_counts_once() -> None:
    assert score(outcome("a", "a", "a"), Labels(gold=("a", "b"))).recall5 == 0.5


def test_ndcg_falls_with_the_rank() -> None:
    assert score(outcome("a", "b"), Labels(gold=("a", "b"))).ndcg5 == pytest.approx(1.0)
    assert score(outcome("x", "a"), Labels(gold=("a",))).ndcg5 == pytest.approx(1 / math.log2(3))
    assert score(outcome("x"), Labels(gold=("a",))).ndcg5 == 0.0


@pytest.mark.parametrize(
    ("reference", "found", "expected"),
    [
        ("p#1", Found("p#1", "anything"), True),
        ("docs/a.md#400 days", Found("docs/a.md", "kept for 400\ndays"), True),
        ("docs/a.md#400 days", Found("docs/b.md", "kept for 400 days"), False),
        ("docs/a.md#400 days", Found("docs/a.md", "kept for 30 days"), False),
        ("docs/a.md", Found("docs/a.md", "anything"), True),
    ],
)
def test_gold_is_a_passage_or_a_quote_in_a_document(reference: str, found: Found, expected: bool) -> None:
    assert matches(reference, found) is expected


def test_contamination_is_looked_for_in_everything_that_was_searched() -> None:
    labels = Labels(gold=("a",), forbidden=("Frankfurt", "keys"))

    assert score(outcome("a"), labels).contaminants == ()
    spilled = score(outcome("a", searched=("and the RTO? Dublin", "RTO key")), labels)
    assert spilled.contaminants == ("keys",)


def test_a_turn_that_searched_nothing_is_judged_by_its_query() -> None:
    labels = Labels(gold=("a",), forbidden=("Frankfurt",))

    assert score(outcome(query="hello Frankfurt", searched=()), labels).contaminants == ("Frankfurt",)


def test_a_name_that_nobody_said_is_invented() -> None:
    assert score(outcome("a", names=("Dublin",)), Labels(gold=("a",))).invented == ()
    assert score(outcome("a", names=("Dublin West",)), Labels(gold=("a",))).invented == ("Dublin West",)


def test_required_is_the_share_of_the_terms_that_the_query_holds() -> None:
    assert score(outcome("a"), Labels(gold=("a",), required=("Dublin", "hours"))).required == 0.5


def test_rates_are_of_the_items_that_can_show_them() -> None:
    plain = score(outcome("a"), Labels(gold=("a",), dependent=True))
    spilled = score(
        outcome(), Labels(gold=("a",), forbidden=("Dublin",), required=("hours",), dependent=False)
    )
    told = figures([plain, plain, spilled])

    assert told["n"] == 3
    assert told["recall@5"] == pytest.approx(2 / 3, abs=1e-4)
    assert (told["contamination"], told["n_forbidden"]) == (1.0, 1)
    assert told["required"] == 0.0
    assert (told["rewritten"], told["rewritten_dependent"], told["as_typed"]) == (1.0, 1.0, 0.0)


def test_nothing_to_contaminate_is_not_contaminated() -> None:
    told = figures([score(outcome("a"), Labels(gold=("a",)))])

    assert (told["contamination"], told["n_forbidden"], told["as_typed"]) == (0.0, 0, None)


def test_strata_keep_the_order_in_which_they_appear() -> None:
    one = score(outcome("a"), Labels(gold=("a",)))

    assert list(by_stratum([("b", one), ("a", one), ("b", one)])) == ["b", "a"]


def test_the_interval_holds_the_rate_and_narrows_with_more_items() -> None:
    few, many = interval(0.8, 20), interval(0.8, 2000)

    assert few[0] < many[0] < 0.8 < many[1] < few[1]
    assert interval(1.0, 10) == (0.7225, 1.0)
    assert interval(0.0, 0) == (0.0, 1.0)
