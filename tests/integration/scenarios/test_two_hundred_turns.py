"""A conversation of two hundred turns costs at its end what it cost at its beginning, and forgets nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

# Prompt tokens against turn 10: of the same question asked again, and of the ten turns that end there.
LARGEST_GROWTH = 1.15
ENOUGH = 0.98


@pytest.mark.takes(30)
@pytest.mark.timeout(900)
def test_its_prompt_does_not_grow_and_what_was_said_survives(
    played: Callable[[str], dict[str, Any]],
) -> None:
    told = played("two_hundred_turns")

    prompt = told["metrics"]["prompt_tokens"]
    for ratio in ("ratio_50", "ratio_200", "ratio_50_of_rounds", "ratio_200_of_rounds"):
        assert prompt[ratio] <= LARGEST_GROWTH, ratio
    assert told["metrics"]["model_calls"]["most"] <= 2

    now = told["survival"]["now"]
    assert now["covered_turns"] == 194
    assert now["items"] >= ENOUGH
    kept = {fact["name"] for fact in now["facts"] if fact["found_in"]}
    assert kept == {"employees", "boilers", "contact"}
