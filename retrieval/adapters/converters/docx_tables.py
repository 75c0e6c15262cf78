"""Tables of a Word document as rows of texts, merged cells repeated where they count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from docx.oxml.ns import qn

_ROW, _CELL = qn("w:tr"), qn("w:tc")
_WIDEST = 200


def table_rows(table: Any, text_of: Callable[[Any], str]) -> tuple[list[list[str]], bool]:
    """The rows, and whether the table itself marks the first as its header."""
    rows: list[list[str]] = []
    marked = False
    for row in _below(table, _ROW):
        cells = _cells(row, rows[-1] if rows else [], text_of)
        if not any(cells):
            continue
        if not rows:
            marked = row.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}") is not None or _is_emphasised(row)
        rows.append(cells)
    return rows, marked


def _cells(row: Any, above: list[str], text_of: Callable[[Any], str]) -> list[str]:
    """A cell over several rows is repeated in each; one over several columns stands in the first."""
    cells: list[str] = []
    for cell in _below(row, _CELL):
        properties = cell.find(qn("w:tcPr"))
        span = _number(properties, "w:gridSpan")
        merged = properties.find(qn("w:vMerge")) if properties is not None else None
        goes_on = merged is not None and merged.get(qn("w:val"), "continue") == "continue"
        text = above[len(cells)] if goes_on and len(cells) < len(above) else text_of(cell)
        cells += [text] + [""] * (min(span, _WIDEST) - 1)
    return cells


def _number(properties: Any, name: str) -> int:
    found = properties.find(qn(name)) if properties is not None else None
    value = found.get(qn("w:val"), "1") if found is not None else "1"
    return max(1, int(value)) if value.isdigit() else 1


def _is_emphasised(row: Any) -> bool:
    """Every cell of the row is bold throughout."""
    runs = [
        run for run in row.iter(qn("w:r")) if any((text.text or "").strip() for text in run.iter(qn("w:t")))
    ]
    return bool(runs) and all(_is_bold(run) for run in runs)


def _is_bold(run: Any) -> bool:
    mark = run.find(f"{qn('w:rPr')}/{qn('w:b')}")
    return mark is not None and mark.get(qn("w:val"), "1") not in ("0", "false", "off")


def _below(parent: Any, tag: str) -> Iterator[Any]:
    """Rows or cells of this table only, also inside content controls."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in (qn("w:sdt"), qn("w:sdtContent"), qn("w:customXml"), qn("w:ins")):
            yield from _below(child, tag)
