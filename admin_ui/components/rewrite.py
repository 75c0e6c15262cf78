"""What a search is worded like for people, and which of its words were not in the message, for marking them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Protocol

_PIECE = re.compile(r"\w+(?:['’.+#&/_-]*[\w+#]+)*|\W+")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of the search; `added` when it is not in the message."""

    text: str
    added: bool


class Search(Protocol):
    """What was searched: `query` as it was, `display` as people read it, "" where that is the same."""

    @property
    def query(self) -> str: ...
    @property
    def display(self) -> str: ...


def both_worded(before: Search, after: Search) -> tuple[str, str]:
    """What both searched for, as people read it; as it was searched where only that shows the difference."""
    shown = before.display or before.query, after.display or after.query
    return (before.query, after.query) if shown[0] == shown[1] else shown


def added_runs(typed: str, searched: str) -> tuple[Run, ...]:
    """`searched` cut into runs of added and of known words. Spaces between two added words belong to their run."""
    known = {_fold(piece) for piece in _PIECE.findall(typed)}
    pieces = _PIECE.findall(searched)
    flags = [bool(re.match(r"\w", piece)) and _fold(piece) not in known for piece in pieces]
    runs: list[Run] = []
    for at, piece in enumerate(pieces):
        added = flags[at] or (
            piece.isspace() and 0 < at < len(pieces) - 1 and flags[at - 1] and flags[at + 1]
        )
        if runs and runs[-1].added == added:
            runs[-1] = Run(runs[-1].text + piece, added)
        else:
            runs.append(Run(piece, added))
    return tuple(runs)


def _fold(word: str) -> str:
    return re.sub(r"['’]s$", "", unicodedata.normalize("NFKC", word).casefold())
