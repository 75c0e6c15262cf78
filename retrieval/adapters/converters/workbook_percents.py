"""Which cells of an XLSX file are shown as percentages: 0.999 is then what people know as 99.9%.

Calamine gives values without their formats, so the style of each cell is looked up here, in one pass over the
sheet and only when the workbook has a style of this kind at all.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Mapping
from typing import Any

from lxml import etree

from retrieval.adapters.converters.office import parsed

Place = tuple[int, int]
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_BUILT_IN = frozenset({"9", "10"})
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_LITERAL = re.compile(r'"[^"]*"|\\.')
_SHEET_BYTES = 60_000_000


def percent_cells(data: bytes) -> dict[str, set[Place]]:
    """By sheet name, the rows and columns (from 0) of cells with a percent format. Empty for other file kinds."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            styles = _percent_styles(archive)
            return (
                {name: _places(archive, part, styles) for name, part in _sheets(archive).items()}
                if styles
                else {}
            )
    except (KeyError, ValueError, OSError, RuntimeError, zipfile.BadZipFile, etree.LxmlError):
        return {}


def _percent_styles(archive: zipfile.ZipFile) -> set[str]:
    """Numbers of the cell styles whose number format has a percent sign that is not mere text."""
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


def _places(archive: zipfile.ZipFile, part: str, styles: set[str]) -> set[Place]:
    found: set[Place] = set()
    if archive.getinfo(part).file_size > _SHEET_BYTES:
        return found
    with archive.open(part) as file:
        for _, cell in etree.iterparse(file, tag=f"{_MAIN}c", resolve_entities=False, no_network=True):
            place = _CELL.fullmatch(cell.get("r") or "")
            if place is not None and cell.get("s") in styles:
                found.add((int(place[2]) - 1, _column(place[1])))
            cell.clear()
            while (before := cell.getprevious()) is not None:
                cell.getparent().remove(before)
    return found


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1
