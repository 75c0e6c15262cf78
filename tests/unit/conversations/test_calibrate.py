"""Thresholds chosen from labelled examples."""

from __future__ import annotations

from conversations.domain.calibrate import Example, accuracies, best_cut, calibrate
from conversations.domain.policy import Thresholds


def examples(scale: float) -> list[Example]:
    dependent = [Example(scale * (0.5 + i / 100), True) for i in range(30)]
    shifted = [Example(scale * (0.1 + i / 100), False, shifted=True) for i in range(30)]
    return [*dependent, *shifted]


def test_it_separates_what_can_be_separated() -> None:
    found = calibrate(examples(1.0), "a-space")
    assert 0.39 < found.thresholds.related < 0.5
    assert found.related_accuracy == 1.0
    assert found.thresholds.unrelated <= found.thresholds.related
    assert found.thresholds.space == "a-space"


def test_it_moves_with_the_embedding_space() -> None:
    near, far = calibrate(examples(1.0), "a").thresholds, calibrate(examples(0.5), "b").thresholds
    assert abs(near.related / 2 - far.related) < 0.01


def test_it_keeps_the_base_when_examples_are_few() -> None:
    base = Thresholds(related=0.4, unrelated=0.3)
    found = calibrate(examples(1.0)[:5], "a", base=base).thresholds
    assert (found.related, found.unrelated) == (0.4, 0.3)


def test_it_prefers_a_needless_rewrite_to_a_missed_one() -> None:
    scored = [(i / 20, True) for i in range(8, 20)] + [(i / 20, False) for i in range(12)]
    careful, _ = best_cut(scored, 0.0, miss_cost=5.0)
    even, _ = best_cut(scored, 0.0, miss_cost=1.0)
    assert careful <= even


def test_it_puts_divergence_under_nearly_every_good_rewrite() -> None:
    rewrites = [0.5 + i / 200 for i in range(100)]
    assert calibrate([], "a", rewrites).thresholds.diverged < 0.5


def test_marked_messages_and_those_inside_a_subject_decide_nothing_about_related() -> None:
    plain = examples(1.0)
    marked = [Example(0.05, True, marked=True)] * 50
    inside = [Example(0.9, False)] * 50
    found = calibrate([*plain, *marked, *inside], "a").thresholds
    assert found.related == calibrate(plain, "a").thresholds.related


def test_it_says_what_each_cut_gets_right() -> None:
    told = accuracies(Thresholds(related=0.45, unrelated=0.4, diverged=0.3), examples(1.0), [0.2, 0.4] * 10)
    assert told["related"] == 1.0
    assert told["diverged"] == 0.5
    assert told["boundary"] == 0.5


def test_it_says_nothing_about_too_few() -> None:
    assert set(accuracies(Thresholds(), examples(1.0)[:5]).values()) == {None}


def test_documents_are_asked_in_a_space_only_where_it_is_known_when_they_know_a_message() -> None:
    assert calibrate(examples(1.0), "a").thresholds.answered == 0.0
    base = Thresholds(space="a", answered=0.3)
    assert calibrate(examples(1.0), "a", base=base).thresholds.answered == 0.3


def test_it_finds_from_where_documents_know_a_message_as_it_stands() -> None:
    dependent = [Example(0.5, True, known=0.2 + i / 100) for i in range(30)]
    alone = [Example(0.1, False, known=0.6 + i / 100) for i in range(30)]
    found = calibrate([*dependent, *alone], "a")
    assert 0.49 < found.thresholds.answered < 0.6
    assert found.answered_accuracy == 1.0
    assert accuracies(found.thresholds, [*dependent, *alone])["answered"] == 1.0


def test_it_finds_how_much_closer_other_passages_must_be_for_a_message_to_be_about_something_else() -> None:
    dependent = [Example(0.1, True, apart=i / 200) for i in range(30)]
    left = [Example(0.1, False, shifted=True, apart=0.3 + i / 200) for i in range(30)]
    inside = [Example(0.1, False, apart=0.0)] * 30
    found = calibrate([*dependent, *left, *inside], "a")
    assert 0.15 < found.thresholds.elsewhere < 0.3
    assert found.elsewhere_accuracy == 1.0
    assert accuracies(found.thresholds, [*dependent, *left])["elsewhere"] == 1.0


def test_where_homes_are_not_known_they_are_not_asked_in_another_space() -> None:
    assert calibrate(examples(1.0), "a").thresholds.elsewhere == 0.0
    base = Thresholds(space="a", elsewhere=0.2)
    assert calibrate(examples(1.0), "a", base=base).thresholds.elsewhere == 0.2
