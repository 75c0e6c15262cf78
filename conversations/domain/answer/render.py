"""Writes chosen sentences down as Markdown with their citation numbers.

Sentences stand in the order of their passage, a list keeps the line that introduces it, and of a wide table
row only the columns that were asked about are kept.
Every sentence carries its number, so that each can be checked by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conversations.domain.answer.terms import stems
from conversations.domain.answer.units import Unit, row_text, units
from conversations.domain.answer.values import Citation, Passage

MAX_SENTENCES, MAX_WORDS = 4, 90
_NARROW = 3


@dataclass(frozen=True, slots=True)
class Chosen:
    """Positions of units of one passage that belong together. `text` says it in their place, where it is given."""

    passage: int
    positions: tuple[int, ...]
    text: str = ""


def rendered(
    chosen: Sequence[Chosen], passages: Sequence[Passage], wanted: frozenset[str]
) -> tuple[str, tuple[Citation, ...]]:
    """Markdown and its citations, numbered by first use. An overview of a table comes first and in one piece."""
    order = list(dict.fromkeys(c.passage for c in chosen))
    parts = _overview([(c.text, order.index(c.passage) + 1) for c in chosen if c.text])
    citations = []
    for n, index in enumerate(order, start=1):
        passage = passages[index]
        every = units(passage.text)
        mine = [c for c in chosen if c.passage == index]
        positions = sorted({p for c in mine for p in c.positions})
        retold = {p for c in mine if c.text for p in c.positions}
        parts += _paragraphs([every[p] for p in positions if p not in retold], n, wanted)
        best = mine[0].positions[0 if mine[0].text else -1]
        quotes = dict.fromkeys([every[best].source, *(every[p].source for p in positions)])
        citations.append(Citation.of(n, passage, tuple(quotes)))
    return _joined(parts), tuple(citations)


def _overview(told: list[tuple[str, int]]) -> list[str]:
    """ "Region: Dublin, Zurich [1], Warsaw [2].": the pieces of one table, cut over several passages, are one list."""
    lists: dict[str, list[str]] = {}
    for text, n in told:
        label, _, row = text.partition(": ")
        lists.setdefault(label, []).append(f"{row} [{n}]")
    return [f"{label}: {', '.join(rows)}." for label, rows in lists.items()]


def _paragraphs(picked: list[Unit], n: int, wanted: frozenset[str]) -> list[str]:
    """Prose pieces as they are; items of one list under their lead."""
    parts: list[str] = []
    lists: set[int] = set()
    for unit in picked:
        siblings = [u for u in picked if u.block == unit.block and u.kind == "item"]
        if unit.kind == "item" and len(siblings) > 1:
            if unit.block not in lists:
                lists.add(unit.block)
                lead = f"{unit.lead or unit.about}".rstrip(": ")
                bullets = [f"- {_marked(u.text, n)}" for u in siblings]
                parts.append("\n".join([f"{lead}:\n" if lead else "", *bullets]).strip() + "\n")
        else:
            parts.append(_marked(_shortened(_prose(unit, wanted)), n))
    return parts


def _prose(unit: Unit, wanted: frozenset[str]) -> str:
    if unit.kind == "item" and unit.lead:
        return f"{unit.lead.rstrip(': ')}: {unit.text}"
    if unit.kind == "row" and len(unit.cells) > _NARROW:
        return row_text(unit.cells, _asked_columns(unit, wanted))
    return unit.text


def _asked_columns(unit: Unit, wanted: frozenset[str]) -> tuple[str, ...]:
    """The headings that share most words with the question; none when no heading shares any."""
    shared = {heading: len(stems(heading) & wanted) for heading, _ in unit.cells[1:]}
    most = max(shared.values(), default=0)
    return tuple(h for h, n in shared.items() if n == most) if most else ()


def _shortened(text: str) -> str:
    parts = text.split()
    return text if len(parts) <= MAX_WORDS else " ".join(parts[: MAX_WORDS - 1]) + " …"


def _marked(text: str, n: int) -> str:
    """The number goes before a full stop and after any other ending."""
    if text.endswith(("!", "?", "…", "。", "！", "？")):
        return f"{text} [{n}]"
    return f"{text.rstrip('.;, ')} [{n}]."


def _joined(parts: list[str]) -> str:
    text = ""
    for part in parts:
        block = part.endswith("\n") or text.endswith("\n")
        text += (
            "\n" if block and text.endswith("\n") else "\n\n" if block and text else " " if text else ""
        ) + part
    return text.strip()
