"""What an answer is made of.

A passage is a piece of a document that the person may see; a citation says which passage stands behind
which number in the answer.
Citations carry the quoted words exactly as the document has them, so that they can be found and marked there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PIECE = re.compile(r"\s*\S{1,24}\s*|\s+")


@dataclass(frozen=True, slots=True)
class Passage:
    """One retrieved chunk, best first when in a sequence. `score` is the search's own, on any scale."""

    chunk_id: str
    document_id: str
    title: str
    heading_path: tuple[str, ...]
    page: int | None
    text: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Citation:
    """What the marker [n] points at. `snippet` and `quotes` are verbatim parts of the passage."""

    n: int
    chunk_id: str
    document_id: str
    title: str
    heading_path: tuple[str, ...]
    page: int | None
    snippet: str
    quotes: tuple[str, ...] = ()

    @classmethod
    def of(cls, n: int, passage: Passage, quotes: tuple[str, ...]) -> Citation:
        snippet = quotes[0] if quotes else passage.text.strip()[:200]
        return cls(
            n,
            passage.chunk_id,
            passage.document_id,
            passage.title,
            passage.heading_path,
            passage.page,
            snippet,
            quotes,
        )


@dataclass(frozen=True, slots=True)
class ExtractedAnswer:
    """Markdown with [n] markers. Not `confident`: the text says that nothing was found, or not about `missing`.

    `missing` is the name that the person asked for and no passage holds.
    """

    text: str
    citations: tuple[Citation, ...]
    confident: bool
    missing: str = ""


def stream_pieces(text: str) -> Iterator[str]:
    """Cuts a finished answer into words for streaming; the pieces joined are the text."""
    for match in _PIECE.finditer(text):
        yield match[0]
