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
from retrieval.adapters.converters.workbook_percents import Place, percent_cells
from retrieval.domain.errors import DocumentCorrupt, DocumentEncrypted
from retrieval.domain.outline import Outline

Value: TypeAlias = int | float | str | bool | time | date | datetime | timedelta
_MERGED_CELLS = 100_000


def read_workbook(data: bytes, outline: Outline) -> int:
    """Fill `outline` sheet by sheet, the sheet's number as page; return the number of sheets.

    Raises DocumentEncrypted or DocumentCorrupt.
    """
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        percents = percent_cells(data)
        for number, about in enumerate(workbook.sheets_metadata, start=1):
            shown = about.visible == SheetVisibleEnum.Visible and about.typ == SheetTypeEnum.WorkSheet
            if shown:
                sheet = workbook.get_sheet_by_index(number - 1)
                _read_sheet(sheet, percents.get(about.name, set()), number, outline)
        return len(workbook.sheets_metadata)
    except PasswordError as error:
        raise DocumentEncrypted from error
    except CalamineError as error:
        raise DocumentCorrupt from error


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
