"""Measures what a memory keeps: the share of numbers, names and decisions that are still in summary or ledger.

The measure reads the covered turns anew and trusts nothing that the summary says of itself.
It is what the promise of the product is tested with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from conversations.domain.language import Analysis
from conversations.domain.memory.items import Item, items_in, names_known, survives
from conversations.domain.memory.statements import statements_of
from conversations.domain.memory.values import Fact, SummaryPart
from conversations.domain.state import Exchange
from conversations.domain.words import key_of


def key_items(texts: Iterable[str], analyse: Callable[[str], Analysis] | None = None) -> frozenset[Item]:
    """Every number, proper name and decision of the texts. Without `analyse`, names are found by their form."""
    found: set[Item] = set()
    for text in texts:
        names = names_known(analyse(text)) if analyse else ()
        for statement in statements_of(text):
            found |= items_in(statement.text, names)
    return frozenset(found)


def lost(
    covered: Sequence[Exchange],
    parts: Sequence[SummaryPart],
    facts: Sequence[Fact],
    analyse: Callable[[str], Analysis] | None = None,
) -> tuple[Item, ...]:
    """What of the covered turns is in no part and in no fact, sorted."""
    items = key_items((text for e in covered for text in (e.message, e.answer)), analyse)
    kept = text_of(parts, facts)
    return tuple(sorted((i for i in items if not survives(i, kept)), key=lambda item: (item.kind, item.key)))


def survival(
    covered: Sequence[Exchange],
    parts: Sequence[SummaryPart],
    facts: Sequence[Fact],
    analyse: Callable[[str], Analysis] | None = None,
) -> float:
    """The share of key items of the covered turns that summary parts or ledger still hold; 1 when there are none."""
    items = key_items((text for e in covered for text in (e.message, e.answer)), analyse)
    gone = lost(covered, parts, facts, analyse)
    return 1.0 - len(gone) / len(items) if items else 1.0


def text_of(parts: Sequence[SummaryPart], facts: Sequence[Fact]) -> str:
    """All that is kept, as one key in which no word is a neighbour of another text's."""
    lines = [line for part in parts for line in part.text.splitlines()]
    lines += [text for fact in facts for text in (fact.entity, fact.fact, fact.value)]
    return " | ".join(map(key_of, lines))
