"""The lines of a PDF page with their size, weight and height, by PDFium's character positions."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median_low

import pypdfium2 as pdfium
import pypdfium2.raw as raw

_HYPHEN_MARKS = "\x02\ufffe"
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"\S+")
_SAMPLES = 7
_CELL_GAP = 0.8
"""In font sizes: a space is a third of one, and seldom twice as wide where lines are justified."""
_EDGE_LINES = 2
_REPEATED_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of a line with wide gaps around it; its edges in points."""

    text: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line. `size` and `y` (of its foot, upwards) are in points."""

    text: str
    size: float
    bold: bool
    y: float
    page: int
    cells: tuple[Cell, ...] = ()


def page_lines(page: pdfium.PdfPage, number: int) -> list[Line]:
    """Lines in reading order, empty ones left out."""
    textpage = page.get_textpage()
    try:
        return _lines(textpage, number)
    finally:
        textpage.close()


def _lines(textpage: pdfium.PdfTextPage, number: int) -> list[Line]:
    lines: list[Line] = []
    characters: list[str] = []
    printed: list[int] = []
    count = textpage.count_chars()
    for index in range(count + 1):
        code = raw.FPDFText_GetUnicode(textpage, index) if index < count else 10
        if code in (10, 13):
            if printed:
                lines.append(_measured(textpage, "".join(characters), printed, number))
            characters, printed = [], []
            continue
        character = chr(code) if code < 0x110000 else "\ufffd"
        if not character.isspace():
            printed.append(index)
        characters.append("\x02" if character in _HYPHEN_MARKS else character)
    return lines


def _measured(textpage: pdfium.PdfTextPage, text: str, printed: Sequence[int], number: int) -> Line:
    """Size and weight of most of the line: a list's number may be set in another font."""
    step = max(1, len(printed) // _SAMPLES)
    samples = printed[step // 2 :: step]
    size = median_low([_size(textpage, index) for index in samples])
    bold = sum(_is_bold(textpage, index) for index in samples) > len(samples) / 2
    bottom = min(_box(textpage, index)[2] for index in samples)
    return Line(text, size, bold, bottom, number, _cells(textpage, text, printed, size))


def _cells(textpage: pdfium.PdfTextPage, text: str, printed: Sequence[int], size: float) -> tuple[Cell, ...]:
    """Words with no more than a usual space between them; only the ends of words are looked at."""
    words = list(_WORD.finditer(text))
    cells: list[Cell] = []
    place = 0
    for word in words:
        left = _box(textpage, printed[place])[0]
        place += len(word.group())
        right = _box(textpage, printed[place - 1])[1]
        if cells and left - cells[-1].right < _CELL_GAP * size:
            cells[-1] = Cell(f"{cells[-1].text} {word.group()}", cells[-1].left, right)
        else:
            cells.append(Cell(word.group(), left, right))
    return tuple(cells)


def _size(textpage: pdfium.PdfTextPage, index: int) -> float:
    size = float(raw.FPDFText_GetFontSize(textpage, index))
    if size > 2:
        return size
    # A font scaled by its text matrix reports size 1: the printed height then tells more.
    _, _, bottom, top = _box(textpage, index)
    return (top - bottom) * 1.4


def _box(textpage: pdfium.PdfTextPage, index: int) -> tuple[float, float, float, float]:
    """Left, right, bottom, top."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    raw.FPDFText_GetCharBox(textpage, index, left, right, bottom, top)
    return left.value, right.value, bottom.value, top.value


def _is_bold(textpage: pdfium.PdfTextPage, index: int) -> bool:
    buffer, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    length = raw.FPDFText_GetFontInfo(textpage, index, buffer, 128, flags)
    name = buffer.raw[: min(length, 128)].decode("utf-8", "replace").lower()
    return any(word in name for word in ("bold", "black", "heavy", "semibold"))


def without_running_titles(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Headers and footers out: lines at the edge of most pages that differ in numbers at most."""
    if len(pages) < 3:
        return [list(lines) for lines in pages]
    counts = Counter(
        key
        for lines in pages
        for key in {_edge_key(line) for line in (*lines[:_EDGE_LINES], *lines[-_EDGE_LINES:])}
    )
    repeated = {key for key, count in counts.items() if count >= max(3, _REPEATED_SHARE * len(pages))}
    return [
        [
            line
            for index, line in enumerate(lines)
            if _EDGE_LINES <= index < len(lines) - _EDGE_LINES or _edge_key(line) not in repeated
        ]
        for lines in pages
    ]


def _edge_key(line: Line) -> str:
    return _DIGITS.sub("#", line.text.strip().lower())


def joined(lines: Sequence[Line]) -> Line:
    """Printed lines as one, words divided at a line's end put together again."""
    text = ""
    for line in lines:
        piece = line.text.strip()
        if text.endswith("\x02"):
            text = text[:-1] + piece
        elif text.endswith("-") and piece[:1].islower():
            text += piece
        else:
            text = f"{text} {piece}" if text else piece
    return replace(lines[0], text=text.replace("\x02", "-"))
