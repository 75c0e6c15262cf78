"""Where sentences begin and end.

A passage is cut between sentences and an extracted answer quotes whole ones, so a sentence must not break at
"e.g.", at "3.5" or at an initial. Western and East Asian punctuation are both understood. A line break ends a
sentence only where the text leaves an empty line or starts a list item.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Span(NamedTuple):
    """Characters `start` to `end` (exclusive) of a text."""

    start: int
    end: int


_BOUNDARY = re.compile(
    r"""(?P<stop>[.!?…]+)(?P<close>["'”’»)\]]*)(?=\s)"""  # western: needs a space after
    r"""|[。！？｡]+[”’」』）]*"""  # east asian: needs none
    r"""|[।۔؟](?=\s|$)"""
    r"""|\n\s*\n|\n(?=\s*(?:[-*•‣◦]|\d{1,3}[.)])\s)""",
    re.VERBOSE,
)
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘]+$")
_INITIAL = re.compile(r"\s+[A-Z]\.")
_NEXT = re.compile(r"""\s*["'“‘«(\[]*(\S)""")

_ABBREVIATIONS = frozenset(
    [
        "sr",
        "jr",
        "etc",
        "al",
        "ch",
        "ed",
        "eds",
        "p",
        "pp",
        "art",
        "para",
        "inc",
        "ltd",
        "co",
        "corp",
        "dept",
        "est",
        "min",
        "max",
        "incl",
        "excl",
        "resp",
        "ext",
        "tel",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "mon",
        "tue",
        "wed",
        "thu",
        "fri",
        "sat",
        "sun",
        "a.m",
        "p.m",
        "bzw",
        "ca",
        "usw",
    ]
)
_NEVER_END = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "st",
        "vs",
        "e.g",
        "i.e",
        "eg",
        "ie",
        "cf",
        "no",
        "nos",
        "fig",
        "figs",
        "eq",
        "sec",
        "vol",
        "approx",
        "u.s",
        "u.k",
        "z.b",
        "d.h",
        "nr",
    ]
)


def sentences(text: str) -> list[Span]:
    """Spans of the sentences of `text`, in order, trimmed of white space, together covering all of its words."""
    spans: list[Span] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        if match.group("stop") and not _ends_here(text, match):
            continue
        _append(spans, text, start, match.end())
        start = match.end()
    _append(spans, text, start, len(text))
    return spans


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    stripped = piece.strip()
    if stripped:
        spans.append(Span(start + left, start + left + len(stripped)))


def _ends_here(text: str, match: re.Match[str]) -> bool:
    following = _NEXT.match(text, match.end())
    if following is None:
        return True
    goes_on = following.group(1).islower()
    if match.group("stop") != ".":
        quoted = bool(match.group("close")) or match.group("stop")[0] not in "!?"
        return not (goes_on and quoted)
    before = _LAST_WORD.search(text, max(0, match.start() - 40), match.start())
    word = before.group().lower().rstrip(".") if before else ""
    if word in _NEVER_END or _is_initial(word, text, match):
        return False
    return following.group(1).isupper() if word in _ABBREVIATIONS else not goes_on


def _is_initial(word: str, text: str, match: re.Match[str]) -> bool:
    """A single capital is a person's initial between capitals ("Ann J. Doe", "J. R. Doe"), not after "plan B."."""
    stop = match.start()
    if len(word) != 1 or not text[stop - 1].isupper():
        return False
    before = text[max(0, stop - 30) : stop - 1].rstrip()
    if not before or before[-1] == "." or before.split()[-1][:1].isupper():
        return True
    return _INITIAL.match(text, match.end()) is not None
