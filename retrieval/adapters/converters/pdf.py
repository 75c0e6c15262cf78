"""PDF, by PDFium: paragraphs by line distance, headings by font size, tables by columns, page numbers kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from retrieval.adapters.converters.grid import find_header
from retrieval.adapters.converters.pdf_lines import Line, joined, page_lines, without_running_titles
from retrieval.adapters.converters.pdf_tables import Table, tables
from retrieval.domain.errors import (
    DocumentCorrupt,
    DocumentEncrypted,
    DocumentScanned,
    DocumentUnreadableEncoding,
    DocumentWithoutText,
)
from retrieval.domain.outline import Outline

_ITEM = re.compile(r"(?:[-*•‣◦▪●–]|\d{1,3}[.)]|[a-z][.)])\s+\S")
_BULLET = re.compile(r"[*•‣◦▪●–]\s+")
_LETTERS_PER_PAGE = 10
_HEADING_RATIO = 1.12
_HEADING_CHARACTERS = 120
_HEADING_LEVELS = 4
_JUNK_TITLE = re.compile(
    r"untitled|anonymous|unspecified|microsoft word|\.(?:docx?|pdf|pptx?|xlsx?|indd|tex)$", re.I
)


def read_pdf(data: bytes, outline: Outline) -> tuple[str | None, int]:
    """Fill `outline`; return the title that the file names, if sensible, and the number of pages.

    Raises DocumentEncrypted, -Corrupt, -Scanned, -WithoutText or -UnreadableEncoding.
    """
    document = _open(data)
    try:
        pages = len(document)
        lines, has_images = _read_pages(document)
        _refuse_textless(lines, has_images)
        _write(without_running_titles(lines), outline)
        title = str(document.get_metadata_dict().get("Title") or "").strip()
    finally:
        document.close()
    return (None if _JUNK_TITLE.search(title) else title) or None, pages


def _open(data: bytes) -> pdfium.PdfDocument:
    try:
        document = pdfium.PdfDocument(data)
        if len(document) == 0:
            raise DocumentCorrupt
        return document
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            raise DocumentEncrypted from error
        raise DocumentCorrupt from error


def _read_pages(document: pdfium.PdfDocument) -> tuple[list[list[Line]], bool]:
    pages: list[list[Line]] = []
    has_images = False
    for index in range(len(document)):
        try:
            page = document[index]
        except pdfium.PdfiumError:
            pages.append([])
            continue
        pages.append(page_lines(page, index + 1))
        if not pages[-1]:
            has_images = has_images or any(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=4))
        page.close()
    return pages, has_images


def _refuse_textless(pages: Sequence[Sequence[Line]], has_images: bool) -> None:
    text = "".join(line.text for lines in pages for line in lines)
    letters = sum(character.isalnum() for character in text)
    if has_images and letters < _LETTERS_PER_PAGE * len(pages):
        raise DocumentScanned
    if not letters:
        raise DocumentWithoutText
    unknown = sum(character == "\ufffd" or "\ue000" <= character <= "\uf8ff" for character in text)
    if unknown > letters / 2:
        raise DocumentUnreadableEncoding


def _write(pages: Sequence[Sequence[Line]], outline: Outline) -> None:
    every = [line for lines in pages for line in lines]
    if not every:
        raise DocumentWithoutText
    body = _body_size(every)
    levels = _heading_levels(every, body)
    for lines in pages:
        position = 0
        for table in tables(lines, [_is_item(line) for line in lines]):
            _write_text(lines[position : table.start], body, levels, outline)
            _write_table(table, lines[table.start].page, outline)
            position = table.end
        _write_text(lines[position:], body, levels, outline)


def _is_item(line: Line) -> bool:
    return bool(_ITEM.match(line.text.strip()))


def _write_table(table: Table, page: int, outline: Outline) -> None:
    header, height = (table.rows[0], 1) if table.bold_first else find_header(table.rows)
    outline.table(header, table.rows[height:], page)


def _write_text(lines: Sequence[Line], body: float, levels: dict[float, int], outline: Outline) -> None:
    for group in _groups(lines, levels):
        line = joined(group)
        level = levels.get(round(line.size, 1)) or _bold_level(group, body, levels)
        if level and len(line.text) <= _HEADING_CHARACTERS:
            outline.heading(line.text, level, line.page)
        elif _ITEM.match(line.text):
            outline.list_item(_BULLET.sub("- ", line.text, count=1), line.page)
        else:
            outline.paragraph(line.text, line.page)


def _body_size(lines: Sequence[Line]) -> float:
    """The size that most characters are set in."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0]


def _heading_levels(lines: Sequence[Line], body: float) -> dict[float, int]:
    """Sizes clearly above the body's, largest first, numbered from 1; close sizes share a level."""
    sizes = sorted(
        {round(line.size, 1) for line in lines if line.size >= body * _HEADING_RATIO}, reverse=True
    )
    levels: dict[float, int] = {}
    level, previous = 0, 0.0
    for size in sizes:
        if not previous or size < previous * 0.95:
            level, previous = min(level + 1, _HEADING_LEVELS), size
        levels[size] = level
    return levels


def _bold_level(group: Sequence[Line], body: float, levels: dict[float, int]) -> int | None:
    """A short bold line by itself, at body size and not a sentence, is a heading of the lowest level."""
    line = group[0]
    is_heading = (
        len(group) == 1
        and line.bold
        and line.size >= body * 0.98
        and len(line.text) <= 80
        and line.text.rstrip()[-1:] not in ".,;:"
        and any(character.isalpha() for character in line.text)
    )
    return max(levels.values(), default=0) + 1 if is_heading else None


def _groups(lines: Sequence[Line], levels: dict[float, int]) -> Iterator[list[Line]]:
    """Lines that belong together: same size and weight, at the usual distance, no new list item."""
    pitch = _pitch(lines)
    group: list[Line] = []
    for line in lines:
        if group and _starts_new(group, line, pitch, levels):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _pitch(lines: Sequence[Line]) -> float:
    """The usual distance between two lines of a page."""
    steps = [
        upper.y - lower.y
        for upper, lower in pairwise(lines)
        if 0 < upper.y - lower.y < 4 * max(upper.size, 1)
    ]
    return median(steps) if steps else 0.0


def _starts_new(group: Sequence[Line], line: Line, pitch: float, levels: dict[float, int]) -> bool:
    last = group[-1]
    if _ITEM.match(line.text.strip()) or abs(line.size - last.size) > 0.08 * last.size:
        return True
    if line.bold != group[0].bold and (line.bold or len(group) == 1):
        return True
    if round(line.size, 1) in levels:
        return not 0 < last.y - line.y < 1.5 * line.size
    step = last.y - line.y
    usual = min(pitch, 1.5 * line.size) if pitch else 1.5 * line.size
    return step > 1.3 * usual or step < -line.size
