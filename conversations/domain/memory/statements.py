"""Cuts messages and answers into statements that read on their own: sentences, list items, table rows.

A row names its thing and its columns, and an item remembers the line that introduces its list.
Citation marks are left out, because they number passages that are long gone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from conversations.domain.answer.units import Unit, plain, sentences, units
from conversations.domain.memory.items import CITATION

_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
_CLAUSE = re.compile(r";\s+|,\s+(?:and|but|so|while|whereas)\s+(?=\w+\s+\w+)|\s+[–—]\s+")
_TERMINAL = re.compile(r"[.!?…。！？]['\"”’)]*$")
_LABEL = re.compile(r"^(?P<label>[^:.!?\n]{2,60}?)\s*(?::|\s[–—-])\s+(?=\S)")
LONG = 240


@dataclass(frozen=True, slots=True)
class Statement:
    """A piece of text that says one thing. `label` is what a row or an item is about, `about` its heading;
    `cells` are (column, value) pairs of a row after its first.
    """

    text: str
    label: str = ""
    about: str = ""
    cells: tuple[tuple[str, str], ...] = ()


def statements_of(text: str) -> tuple[Statement, ...]:
    """Everything that a text states or asks, in reading order, each once; headings and list leads first."""
    bare = CITATION.sub("", text)
    found: list[Statement] = [Statement(plain(heading)) for heading in _HEADING.findall(bare)]
    for unit in units(bare):
        if unit.lead:
            found.append(Statement(unit.lead))
        found += _of_unit(unit)
    return tuple({s.text: s for s in reversed(found) if s.text.strip()}.values())[::-1]


def clause_with(sentence: str, value: str) -> str:
    """The clause of a long sentence that holds the value; a short sentence stays whole."""
    if len(sentence) <= LONG:
        return sentence
    parts = [part.strip() for part in _CLAUSE.split(sentence)]
    return next((part for part in parts if value in part), sentence)


def ended(text: str) -> str:
    """With a full stop where no sign ends it."""
    stripped = text.rstrip(" ,;:")
    return stripped if not stripped or _TERMINAL.search(stripped) else f"{stripped}."


def _of_unit(unit: Unit) -> list[Statement]:
    if unit.kind == "row":
        return [Statement(unit.text, unit.cells[0][1] if unit.cells else "", unit.about, unit.cells[1:])]
    if unit.kind != "item":
        return [Statement(unit.text)]
    first, *more = sentences(unit.text) or [unit.text]
    match = _LABEL.match(first)
    label = match["label"] if match else ""
    return [Statement(text, label, unit.lead.rstrip(":") or unit.about) for text in (first, *more)]
