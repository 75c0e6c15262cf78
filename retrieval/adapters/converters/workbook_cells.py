"""What calamine does not tell of an XLSX file's cells: which are shown as percentages, and which have no value.

0.999 in a cell with a percent format is what people know as 99.9%. A formula whose value was never saved, as programs
that write workbooks leave them, gives nothing to read. Both are found in one pass over a sheet, and only over sheets
that have either.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from retrieval.adapters.converters.office import parsed

Place = tuple[int, int]
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_BUILT_IN = frozenset({"9", "10"})
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_LITERAL = re.compile(r'"[^"]*"|\\.')
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_SHEET_BYTES = 60_000_000
_BLOCK_BYTES = 1 << 20


@dataclass(slots=True)
class SheetCells:
    """Of one sheet: rows and columns (from 0) of percentages, and the names of cells whose formula has no value."""

    percents: set[Place] = field(default_factory=set)
    unsaved: list[str] = field(default_factory=list)


def sheet_cells(data: bytes) -> dict[str, SheetCells]:
    """By sheet name. Empty for other kinds of file: they cannot but keep the values of formulas."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            styles = _percent_styles(archive)
            return {name: _cells(archive, part, styles) for name, part in _sheets(archive).items()}
    except (KeyError, ValueError, OSError, RuntimeError, zipfile.BadZipFile, etree.LxmlError):
        return {}


def _percent_styles(archive: zipfile.ZipFile) -> set[str]:
    """Numbers of the cell styles whose number format has a percent sign that is not mere text."""
    if "xl/styles.xml" not in archive.namelist():
        return set()
    root = parsed(archive.read("xl/styles.xml"))
    custom = {
        format.get("numFmtId")
        for format in root.iter(f"{_MAIN}numFmt")
        if "%" in _LITERAL.sub("", format.get("formatCode") or "")
    }
    formats = root.find(f"{_MAIN}cellXfs")
    rows: list[Any] = list(formats) if formats is not None else []
    return {str(number) for number, one in enumerate(rows) if one.get("numFmtId") in _BUILT_IN | custom}


def _sheets(archive: zipfile.ZipFile) -> Mapping[str, str]:
    """The part of each sheet, by its name."""
    targets = {
        relation.get("Id"): relation.get("Target") or ""
        for relation in parsed(archive.read("xl/_rels/workbook.xml.rels"))
    }
    book = parsed(archive.read("xl/workbook.xml"))
    return {
        sheet.get("name"): posixpath.normpath(posixpath.join("/xl", targets[sheet.get(_RELATION)])).lstrip(
            "/"
        )
        for sheet in book.iter(f"{_MAIN}sheet")
        if sheet.get(_RELATION) in targets
    }


def _cells(archive: zipfile.ZipFile, part: str, styles: set[str]) -> SheetCells:
    found = SheetCells()
    if archive.getinfo(part).file_size > _SHEET_BYTES or not (styles or _has_formulas(archive, part)):
        return found
    with archive.open(part) as file:
        for _, cell in etree.iterparse(file, tag=f"{_MAIN}c", resolve_entities=False, no_network=True):
            name = cell.get("r") or ""
            place = _CELL.fullmatch(name)
            if place is not None and cell.get("s") in styles:
                found.percents.add((int(place[2]) - 1, _column(place[1])))
            if _is_unsaved(cell):
                found.unsaved.append(name)
            cell.clear()
            while (before := cell.getprevious()) is not None:
                cell.getparent().remove(before)
    return found


def _has_formulas(archive: zipfile.ZipFile, part: str) -> bool:
    """Looked for in the bytes, which costs a tenth of taking every cell apart."""
    with archive.open(part) as file:
        end = b""
        while block := file.read(_BLOCK_BYTES):
            if _FORMULA.search(end + block):
                return True
            end = block[-100:]
    return False


def _is_unsaved(cell: Any) -> bool:
    """A formula without a value. A text that is empty is a value: Excel marks it as text."""
    if cell.find(f"{_MAIN}f") is None:
        return False
    value = cell.find(f"{_MAIN}v")
    return value is None or (not value.text and cell.get("t") != "str")


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1
