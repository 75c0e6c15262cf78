"""What the model's prompt takes: by section at the turns one looks at, and whether it grows with the session."""

from __future__ import annotations

from collections.abc import Sequence

from conversations.evaluation.scenarios.generated import COMPARED
from conversations.evaluation.scenarios.held import HeldTurn
from kernel.json import JsonObject

BASE, *LATER = COMPARED
LOOKED_AT = (BASE, 15, *LATER)
ROUND = 10


def tokens_by_section(turns: Sequence[HeldTurn]) -> JsonObject:
    """`{"turn_15": {section: tokens}}` for the turns of `LOOKED_AT` that there are."""
    return {f"turn_{n}": turns[n - 1].tokens for n in LOOKED_AT if n <= len(turns)}


def growth(turns: Sequence[HeldTurn]) -> JsonObject:
    """Prompt tokens at turns 10, 50 and 200, and how they compare with turn 10.

    In the long conversation these turns ask the same in the same words (`generated.py`). `ratio_…_of_rounds` compares
    the means of the ten turns that end there, which ask different things about the same documents.
    """
    there = [n for n in (BASE, *LATER) if n <= len(turns)]
    told: JsonObject = {f"turn_{n}": turns[n - 1].prompt_tokens for n in there}
    for n in there:
        if n != BASE:
            told[f"ratio_{n}"] = round(turns[n - 1].prompt_tokens / turns[BASE - 1].prompt_tokens, 4)
            told[f"ratio_{n}_of_rounds"] = round(_round(turns, n) / _round(turns, BASE), 4)
    return told


def _round(turns: Sequence[HeldTurn], end: int) -> float:
    return sum(turn.prompt_tokens for turn in turns[end - ROUND : end]) / ROUND
