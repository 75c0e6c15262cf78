"""Whether a prompt grows with its session."""

from __future__ import annotations

from conversations.evaluation.scenarios.costs import growth, tokens_by_section
from tests.unit.scenarios.builders import turn


def test_it_compares_later_turns_with_the_tenth():
    turns = [turn(n, "a", tokens={"system": 100, "message": n}) for n in range(1, 61)]
    told = growth(turns)

    assert (told["turn_10"], told["turn_50"]) == (110, 150)
    assert told["ratio_50"] == round(150 / 110, 4)
    assert told["ratio_50_of_rounds"] == round((100 + 45.5) / (100 + 5.5), 4)
    assert "turn_200" not in told


def test_a_single_heavy_turn_does_not_move_the_rounds_much():
    turns = [turn(n, "a", tokens={"passages": 900 if n == 50 else 300}) for n in range(1, 51)]
    told = growth(turns)

    assert told["ratio_50"] == 3.0
    assert told["ratio_50_of_rounds"] == 1.2


def test_it_shows_the_sections_of_the_fifteenth_turn():
    turns = [turn(n, "a", tokens={"system": n}) for n in range(1, 16)]

    assert tokens_by_section(turns)["turn_15"] == {"system": 15}
