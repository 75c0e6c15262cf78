"""Workbooks (XLSX, XLSM, XLSB, XLS, ODS), by calamine: what the cells of every sheet show.

Calamine gives the stored values of formulas and runs no macro. Sheets that their author hid stay unread.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import TypeAlias

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from retrieval.adapters.converters.grid import write_grid
from retrieval.adapters.converters.workbook_cells import Place, SheetCells, sheet_cells
from retrieval.domain.errors import DocumentCorrupt, DocumentEncrypted, DocumentWithoutValues
from retrieval.domain.outline import Outline

Value: TypeAlias = int | float | str | bool | time | date | datetime | timedelta
_MERGED_CELLS = 100_000
_CELLS_NAMED = 5


def read_workbook(data: bytes, outline: Outline) -> tuple[int, tuple[str, ...]]:
    """Fill `outline` sheet by sheet, the sheet's number as page; return the number of sheets and what was missing.

    Raises DocumentEncrypted, DocumentCorrupt, or DocumentWithoutValues.
    """
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        cells, notes = sheet_cells(data), []
        for number, about in enumerate(workbook.sheets_metadata, start=1):
            shown = about.visible == SheetVisibleEnum.Visible and about.typ == SheetTypeEnum.WorkSheet
            if shown:
                known = cells.get(about.name, SheetCells())
                _read_sheet(workbook.get_sheet_by_index(number - 1), known.percents, number, outline)
                notes += [_unsaved_note(about.name, known.unsaved)] if known.unsaved else []
    except PasswordError as error:
        raise DocumentEncrypted from error
    except CalamineError as error:
        raise DocumentCorrupt from error
    if notes and outline.is_empty:
        raise DocumentWithoutValues
    return len(workbook.sheets_metadata), tuple(notes)


def _unsaved_note(sheet: str, cells: Sequence[str]) -> str:
    named = ", ".join(cells[:_CELLS_NAMED])
    more = len(cells) - _CELLS_NAMED
    rest = f" and {more} more" if more > 0 else ""
    what = "1 formula has" if len(cells) == 1 else f"{len(cells)} formulas have"
    return (
        f"Sheet {sheet}: {what} no saved value and could not be read ({named}{rest}). "
        "Open the file in a spreadsheet program, save it, and upload it again."
    )


def _read_sheet(sheet: CalamineSheet, percents: set[Place], number: int, outline: Outline) -> None:
    values = sheet.to_python(skip_empty_area=False)
    rows = [[shown(value) for value in row] for row in values]
    for row, column in percents:
        if row < len(values) and column < len(values[row]) and isinstance(values[row][column], int | float):
            rows[row][column] = f"{float(values[row][column]) * 100:.10g}%"  # type: ignore[arg-type]
    if not any(any(row) for row in rows):
        return
    _repeat_downwards(rows, sheet.merged_cell_ranges or ())
    outline.heading(sheet.name, 1, number)
    write_grid(outline, rows, number)


def _repeat_downwards(
    rows: list[list[str]], merged: Sequence[tuple[tuple[int, int], tuple[int, int]]]
) -> None:
    """A cell merged over several rows counts for each of them."""
    for (top, left), (bottom, _) in merged[:_MERGED_CELLS]:
        if top >= len(rows) or left >= len(rows[top]) or not rows[top][left]:
            continue
        for row in rows[top + 1 : bottom + 1]:
            row[left] = row[left] or rows[top][left]


def shown(value: Value) -> str:
    """A cell's value as a person would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime):
        midnight = value.time() == time()
        return value.date().isoformat() if midnight else value.isoformat(" ", _precision(value.time()))
    if isinstance(value, time):
        return value.isoformat(_precision(value))
    if isinstance(value, timedelta):
        hours, seconds = divmod(round(value.total_seconds()), 3600)
        return f"{hours}:{seconds // 60:02}:{seconds % 60:02}"
    return str(value).strip()


def _precision(moment: time) -> str:
    return "seconds" if moment.second else "minutes"
