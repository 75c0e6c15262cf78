"""A conversation of two hundred turns costs at its end what it cost at its beginning, and forgets nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

# Prompt tokens of the ten turns that end there, against those that end at turn 10.
LARGEST_GROWTH = 1.15
ENOUGH = 0.98


@pytest.mark.timeout(900)
def test_its_prompt_does_not_grow_and_what_was_said_survives(
    played: Callable[[str], dict[str, Any]],
) -> None:
    told = played("two_hundred_turns")

    prompt = told["metrics"]["prompt_tokens"]
    assert prompt["ratio_50_of_rounds"] <= LARGEST_GROWTH
    assert prompt["ratio_200_of_rounds"] <= LARGEST_GROWTH
    assert told["metrics"]["model_calls"]["most"] <= 2

    now = told["survival"]["now"]
    assert now["covered_turns"] == 194
    assert now["items"] >= ENOUGH
    kept = {fact["name"] for fact in now["facts"] if fact["found_in"]}
    assert kept == {"employees", "boilers", "contact"}
