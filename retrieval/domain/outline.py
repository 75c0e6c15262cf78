"""Builds a converted document, block by block.

A converter says "a heading", "a paragraph", "a table row", in reading order, and this keeps the text, the
positions and the headings above each block. Headings of a deeper level stand under the last one of a higher
level. It stops as soon as the text grows past what a document may hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from retrieval.domain.errors import DocumentTooLong, DocumentWithoutText
from retrieval.domain.passages import Block, BlockKind, ConvertedDocument

HEADING_CHARACTERS = 300
"""What every passage below a heading carries of it; the heading itself stays whole in the text."""
RECORDS_FROM, RECORDS_UNTIL = 30, 20_000
"""A long table is looked up row by row, so each row becomes a passage; a shorter one is read as a whole, and one longer
still would make more passages than a document may have. (Of 300 bookings, the right row came first for 85 % of
questions and among five for all; with rows sharing passages for 12 % and 30 %.)"""
_SPACES = re.compile(r"[^\S\n]+")
_TIGHT = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE_ROW, BlockKind.RECORD})
# Characters that Postgres cannot store or that only confuse a reader: NUL, other controls, lone surrogates.
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff\ufffe\uffff\ud800-\udfff\u200b\u00ad]")


class Outline:
    """Collects blocks; `document()` gives the result or says that there was no text."""

    def __init__(self, *, limit: int = 20_000_000) -> None:
        self._limit = limit
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._headings: list[tuple[int, str]] = []

    def heading(self, text: str, level: int, page: int | None = None) -> None:
        text = _inline(text)
        if not text:
            return
        self._headings = [(depth, title) for depth, title in self._headings if depth < level]
        self._headings.append((level, text[:HEADING_CHARACTERS].rstrip()))
        self._add(BlockKind.HEADING, text, page)

    def paragraph(self, text: str, page: int | None = None) -> None:
        self._add(BlockKind.PARAGRAPH, _inline(text), page)

    def list_item(self, text: str, page: int | None = None) -> None:
        self._add(BlockKind.LIST_ITEM, _inline(text), page)

    def code(self, text: str, page: int | None = None) -> None:
        """Kept line by line, as written."""
        self._add(BlockKind.CODE, _UNSTORABLE.sub("", text).strip("\n").rstrip(), page)

    def table(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[str]],
        page: int | None = None,
        *,
        records: bool | None = None,
    ) -> None:
        """Each row becomes a line that names its columns, so that a row is found and understood alone.

        The rows of a long table are `records`: each is a passage of its own. Unless said, the length decides.
        """
        alone = is_long(len(rows)) if records is None else records
        kind = BlockKind.RECORD if alone else BlockKind.TABLE_ROW
        names = [_inline(name) for name in header]
        for row in rows:
            self._add(kind, table_row(names, row), page)

    @property
    def is_empty(self) -> bool:
        return not self._blocks

    def document(
        self,
        *,
        format: str,
        title: str | None = None,
        pages: int | None = None,
        encoding: str | None = None,
        headed: bool = True,
        notes: Sequence[str] = (),
    ) -> ConvertedDocument:
        """What was written. Without `headed` the first heading is no title: a workbook is not its first sheet."""
        if not self._blocks:
            raise DocumentWithoutText
        title = _inline(title or "") or (self._first_heading() if headed else "")
        return ConvertedDocument(
            "".join(self._parts), tuple(self._blocks), title or None, pages, format, encoding, tuple(notes)
        )

    def _first_heading(self) -> str:
        first = self._blocks[0]
        return first.heading_path[-1] if first.kind is BlockKind.HEADING else ""

    def _add(self, kind: BlockKind, text: str, page: int | None) -> None:
        if not text.strip():
            return
        if self._blocks:
            tight = kind in _TIGHT and self._blocks[-1].kind is kind
            self._write("\n" if tight else "\n\n")
        start = self._length
        self._write(text)
        path = tuple(title for _, title in self._headings)
        self._blocks.append(Block(kind, start, self._length, path, page))

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        if self._length > self._limit:
            raise DocumentTooLong(limit_mb=max(1, self._limit // 1_000_000))


def is_long(rows: int) -> bool:
    """Whether a table of so many rows is looked up row by row."""
    return RECORDS_FROM <= rows <= RECORDS_UNTIL


def table_row(header: Sequence[str], row: Sequence[str]) -> str:
    """`Region: Dublin; RPO: 15 minutes`; cells without a header stand alone, empty cells are left out."""
    cells = [_inline(cell) for cell in row]
    named = [
        f"{header[index]}: {cell}"
        if index < len(header) and header[index] and header[index] != cell
        else cell
        for index, cell in enumerate(cells)
        if cell
    ]
    return "; ".join(named)


def _inline(text: str) -> str:
    """One line: control characters out, white space single."""
    return " ".join(_SPACES.sub(" ", _UNSTORABLE.sub("", text)).split())
