"""Finds what a choice is made from: for "which one is cheaper?" and "both" the latest exchange with several things in it.

A list that an answer offered, prices that it told, or two names of one type that the user set side by side.
"""

from __future__ import annotations

import re

from conversations.domain.marks import Mark
from conversations.domain.offers import list_meant
from conversations.domain.prices import asks_by_price, picked_by_price
from conversations.domain.reading import Reading
from conversations.domain.resolve import one_modifier
from conversations.domain.state import Exchange

LISTS_REMEMBERED = 3
# "The full report for one of these" means any of them, and none is to be chosen.
_OF_ANY = r"(?<!for\s)(?<!with\s)(?<!about\s)(?<!during\s)(?<!after\s)(?<!before\s)(?<!from\s)"
_CHOOSES = re.compile(
    r"\b(?:which|what|the|this|that|each|other|these|those)\s+(?:[\w'’-]+\s+){0,2}ones?\b"
    rf"|{_OF_ANY}\bone\s+of\b"
    r"|\bthe\s+(?:\w+est|most\s+\w+|least\s+\w+|best|worst)\s+(?:of|among)\s+(?:those|these|them)\b",
    re.IGNORECASE,
)


def chosen_from(reading: Reading, exchanges: tuple[Exchange, ...]) -> Exchange | None:
    """For "which one is cheaper?" and "both": the latest exchange that set several things side by side."""
    if asks_by_price(reading):
        chosen = picked_by_price(reading, exchanges[-LISTS_REMEMBERED:])
        return chosen[0] if chosen else None
    if not reading.has(Mark.ORDINAL, Mark.CHOICE) and not _CHOOSES.search(reading.core):
        return None
    modifier = frozenset(one_modifier(reading).split())
    recent = exchanges if modifier else exchanges[-LISTS_REMEMBERED:]
    recent = tuple(exchange for exchange in recent if modifier <= set(exchange.words))
    meant = list_meant(recent) if reading.has(Mark.ORDINAL) else None
    return meant or next((exchange for exchange in reversed(recent) if _several(exchange)), None)


def _several(exchange: Exchange) -> bool:
    kinds = [term.type for term in exchange.terms if term.name]
    return len(exchange.items) > 1 or any(kinds.count(kind) > 1 for kind in kinds)
