"""Plain text: paragraphs by empty lines, lists by their marks."""

from __future__ import annotations

import re

from retrieval.domain.outline import Outline

_ITEM = re.compile(r"\s*(?:[-*•‣◦]|\d{1,3}[.)])\s+")
_RULE = re.compile(r"[\s=\-_*~#]+")
_MEAN_WRAPPED = 40


def read_text(text: str, outline: Outline) -> None:
    for paragraph in re.split(r"\n[^\S\n]*(?:\n[^\S\n]*)+", text.replace("\r\n", "\n").replace("\r", "\n")):
        _read_paragraph([line for line in paragraph.split("\n") if line.strip()], outline)


def _read_paragraph(lines: list[str], outline: Outline) -> None:
    """Wrapped prose is joined; list items and lines that stand alone stay lines of their own."""
    if not lines or _RULE.fullmatch("".join(lines)):
        return
    if any(_ITEM.match(line) for line in lines):
        _read_items(lines, outline)
    elif _is_wrapped(lines):
        outline.paragraph(" ".join(lines))
    else:
        for line in lines:
            outline.list_item(line)


def _read_items(lines: list[str], outline: Outline) -> None:
    items: list[str] = []
    lead: list[str] = []
    for line in lines:
        if _ITEM.match(line):
            items.append(line)
        elif items:
            items[-1] += " " + line.strip()
        else:
            lead.append(line)
    outline.paragraph(" ".join(lead))
    for item in items:
        outline.list_item(item)


def _is_wrapped(lines: list[str]) -> bool:
    """Prose wrapped at a width: every line but the last is long, and most do not end a sentence."""
    body = lines[:-1]
    return len(lines) == 1 or sum(len(line) for line in body) / len(body) >= _MEAN_WRAPPED
