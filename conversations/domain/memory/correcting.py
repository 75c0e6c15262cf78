"""Brings corrections into what was summarised before they were made.

A summary part quotes what the user said at the time; once a later turn corrects the statement, the part says what
holds. The ledger keeps the old wording for the audit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from conversations.domain.memory.values import Fact, SummaryPart


def corrected(parts: Sequence[SummaryPart], facts: Sequence[Fact]) -> tuple[SummaryPart, ...]:
    """The parts with replaced values of the user's own statements exchanged for those that hold. Idempotent."""
    pairs = [(old, new) for old in facts if not old.holds and (new := _successor(old, facts))]
    return tuple(_rewritten(part, pairs) for part in parts)


def _successor(old: Fact, facts: Sequence[Fact]) -> Fact | None:
    """What took a replaced statement's place, in the turn that corrected it."""
    taken = [f for f in facts if f.turn == old.replaced_in and f.said_by == "user" and f.value != old.value]
    same = [f for f in taken if (f.key, f.attribute) == (old.key, old.attribute)]
    return next(iter(same or [f for f in taken if f.kind == old.kind]), None)


def _rewritten(part: SummaryPart, pairs: Sequence[tuple[Fact, Fact]]) -> SummaryPart:
    text = part.text
    for old, new in pairs:
        if old.said_by == "user" and part.first_turn <= old.turn <= part.last_turn and old.fact in text:
            text = text.replace(old.fact, _with_value(old.fact, old.value, new.value))
    return part if text == part.text else replace(part, text=text)


def _with_value(statement: str, old: str, new: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, statement)
