"""Shortens passages that do not all fit: what speaks of the question stays, the rest gives way, the least likely first.

A passage keeps its order, its headings and the header of a table; a sentence stays whole or goes.
When everything fits nothing is touched, and the best passage is the last to be shortened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import replace

from conversations.domain.answer.units import sentences
from conversations.domain.answer.values import Passage
from conversations.domain.words import content_of, normalise

GAP = "[…]"
_FRAME = re.compile(r"\s*(?:#{1,6}\s|\|?\s*:?-{2,})")


def compress(
    passages: Sequence[Passage], query: str, budget: int, cost: Callable[[Passage], int]
) -> tuple[Passage, ...]:
    """The passages within `budget` tokens where shortening achieves it. `cost` counts a passage as it is shown."""
    keys = content_of(query)
    shown = list(passages)
    costs = [cost(passage) for passage in shown]
    for place in reversed(range(len(shown))):
        if sum(costs) <= budget or not keys:
            break
        shown[place] = replace(shown[place], text=essence(shown[place].text, keys))
        costs[place] = cost(shown[place])
    return tuple(shown)


def essence(text: str, keys: Set[str]) -> str:
    """The sentences and rows that share a word with the query, each with the sentence that follows it.

    A gap is marked. A text that shares no word keeps its first sentence: its meaning brought it here.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    pieces = [(number, sentence) for number, line in enumerate(lines) for sentence in _sentences(line)]
    near = [bool(keys & set(normalise(sentence))) for _, sentence in pieces]
    rows = {number for number, line in enumerate(lines) if _row(line)}
    kept = {place for place, hit in enumerate(near) if hit} or {0}
    kept |= {place + 1 for place in kept if place + 1 < len(pieces) and pieces[place][0] not in rows}
    kept |= {place for place, (number, _) in enumerate(pieces) if _frames(lines, number, rows)}
    return _written(pieces, kept)


def _sentences(line: str) -> list[str]:
    return [line] if _row(line) else list(sentences(line)) or [line]


def _row(line: str) -> bool:
    return line.count("|") > 1


def _frames(lines: Sequence[str], number: int, rows: Set[int]) -> bool:
    """Headings, and the first row of a table, which says what its columns mean."""
    first_row = number in rows and number - 1 not in rows
    return first_row or bool(_FRAME.match(lines[number]))


def _written(pieces: Sequence[tuple[int, str]], kept: Set[int]) -> str:
    out: list[str] = []
    line, gap = -1, False
    for place, (number, sentence) in enumerate(pieces):
        if place not in kept:
            gap = True
            continue
        if gap:
            out.append(f"{chr(10) if out else ''}{GAP} ")
        elif out:
            out.append(" " if number == line else "\n")
        out.append(sentence)
        line, gap = number, False
    return "".join(out) + (f" {GAP}" if gap else "")
