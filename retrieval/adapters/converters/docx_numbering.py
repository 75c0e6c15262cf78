"""The numbers and bullets that Word draws in front of paragraphs and does not store as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docx.document import Document as WordDocument
from docx.oxml.ns import qn

_PLACE = re.compile(r"%([1-9])")
_LEVELS = 9
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list is drawn: `%1.%2` with a format for each place."""

    format: str
    text: str
    start: int


class Numbering:
    """Counts the paragraphs of every list as Word does when it draws them."""

    def __init__(self, document: WordDocument) -> None:
        self._lists: dict[str, str] = {}
        self._levels: dict[str, dict[int, _Level]] = {}
        self._counts: dict[str, list[int]] = {}
        for relation in document.part.rels.values():
            if relation.reltype.endswith("/numbering") and not relation.is_external:
                self._learn(relation.target_part.element)

    def label(self, paragraph: Any, styles: Mapping[str, Any]) -> str:
        """`2.1 ` or `- ` for a paragraph in a list, else nothing."""
        number, level = _place(paragraph, styles)
        abstract = self._lists.get(number or "")
        if abstract is None:
            return ""
        drawn = self._levels[abstract].get(level)
        counts = self._counted(abstract, level)
        if drawn is None or drawn.format in ("bullet", "none"):
            return "- "
        text = _PLACE.sub(lambda match: self._drawn(abstract, int(match[1]) - 1, counts), drawn.text)
        return f"{text.strip()} " if text.strip() else "- "

    def _learn(self, root: Any) -> None:
        for abstract in root.iter(qn("w:abstractNum")):
            levels = {_int(level, qn("w:ilvl")): _level(level) for level in abstract.iter(qn("w:lvl"))}
            self._levels[abstract.get(qn("w:abstractNumId"))] = levels
        for number in root.iter(qn("w:num")):
            target = number.find(qn("w:abstractNumId"))
            if target is not None and target.get(qn("w:val")) in self._levels:
                self._lists[number.get(qn("w:numId"))] = target.get(qn("w:val"))

    def _counted(self, abstract: str, level: int) -> list[int]:
        """Counts after this paragraph: its level goes up by one, deeper ones start anew."""
        counts = self._counts.setdefault(abstract, [0] * _LEVELS)
        counts[level] += 1
        counts[level + 1 :] = [0] * (_LEVELS - level - 1)
        return counts

    def _drawn(self, abstract: str, level: int, counts: list[int]) -> str:
        drawn = self._levels[abstract].get(level)
        start = drawn.start if drawn else 1
        number = start + max(counts[level], 1) - 1
        return _written(number, drawn.format if drawn else "decimal")


def _place(paragraph: Any, styles: Mapping[str, Any]) -> tuple[str | None, int]:
    """The list and the level of a paragraph, by itself or by its style."""
    properties = paragraph.find(qn("w:pPr"))
    if properties is None:
        return None, 0
    named = properties.find(qn("w:pStyle"))
    style = styles.get(named.get(qn("w:val"))) if named is not None else None
    number: str | None = None
    level: int | None = None
    for _ in range(_LEVELS):
        found = properties.find(qn("w:numPr")) if properties is not None else None
        number = number or _value(found, "w:numId")
        if level is None and (said := _value(found, "w:ilvl")) is not None:
            level = int(said) if said.isdigit() else 0
        if style is None or number:
            break
        properties, style = style.element.find(qn("w:pPr")), getattr(style, "base_style", None)
    return number, min(level or 0, _LEVELS - 1)


def _value(parent: Any, name: str) -> str | None:
    found = parent.find(qn(name)) if parent is not None else None
    return found.get(qn("w:val")) if found is not None else None


def _level(node: Any) -> _Level:
    start = _value(node, "w:start") or "1"
    return _Level(
        _value(node, "w:numFmt") or "decimal",
        _value(node, "w:lvlText") or "",
        int(start) if start.isdigit() else 1,
    )


def _int(node: Any, name: str) -> int:
    value = node.get(name, "0")
    return int(value) if value.isdigit() else 0


def _written(number: int, format: str) -> str:
    if format in ("lowerLetter", "upperLetter"):
        letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letters.upper() if format == "upperLetter" else letters
    if format in ("lowerRoman", "upperRoman"):
        return _roman(number).upper() if format == "upperRoman" else _roman(number)
    return str(number)


def _roman(number: int) -> str:
    text = ""
    for value, sign in _ROMAN:
        text += sign * (number // value)
        number %= value
    return text
