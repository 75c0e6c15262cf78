"""Tables of a PDF page, found where cells stand below one another in several columns.

A PDF knows no tables, only words and where they stand. Lines with wide gaps are cut into cells; a run of such lines
is a table when no cell reaches over two columns. What is doubtful stays text: at least three rows, no lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from retrieval.adapters.converters.pdf_lines import Cell, Line

_ROWS = 3
_CELL_CHARACTERS = 60
_COLUMN_GAP = 0.4
_NEAR, _FAR = 2.8, 8.0
_SAME_ROW = 0.45
_WRAPPED = 1.42
"""Distances in font sizes: between columns; from one line to the next of a table, and to one whose neighbours come
later (a short cell at the foot of a high row); of words on one line; of the lines inside a cell (rows stand further
apart, or every line is a row)."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, made of `lines[start:end]` of a page."""

    start: int
    end: int
    rows: list[list[str]]
    bold_first: bool


def tables(lines: Sequence[Line], is_item: Sequence[bool]) -> list[Table]:
    """The tables of a page in order. `is_item` says which lines are items of a list."""
    found: list[Table] = []
    index = 0
    while index < len(lines):
        table = None
        if len(lines[index].cells) > 1 and not is_item[index]:
            table = _table_at(lines, is_item, index)
        if table is not None:
            found.append(table)
        index = table.end if table is not None else index + 1
    return found


@dataclass(slots=True)
class _Run:
    """Lines that keep to columns; each column is the span of x that its cells take."""

    size: float
    columns: list[tuple[float, float]] = field(default_factory=list)

    def takes(self, cells: Sequence[Cell]) -> bool:
        """Add the cells of a line, if each falls into a column of its own or opens one."""
        columns = list(self.columns)
        used: set[int] = set()
        for cell in cells:
            over = [i for i, (left, right) in enumerate(columns) if cell.left < right and cell.right > left]
            if len(over) > 1 or used.intersection(over):
                return False
            if over:
                left, right = columns[over[0]]
                columns[over[0]] = (min(left, cell.left), max(right, cell.right))
            else:
                columns.append((cell.left, cell.right))
            used.add(over[0] if over else len(columns) - 1)
        spans = sorted(columns)
        if any(after[0] - before[1] < _COLUMN_GAP * self.size for before, after in pairwise(spans)):
            return False
        self.columns = columns
        return True


def _table_at(lines: Sequence[Line], is_item: Sequence[bool], start: int) -> Table | None:
    run = _Run(lines[start].size)
    end = start
    while (
        end < len(lines) and not is_item[end] and _goes_on(lines, start, end) and run.takes(lines[end].cells)
    ):
        end += 1
    while end > start:
        if not _is_close(lines[start:end]):
            end -= 1
            continue
        rows = _rows(lines[start:end], sorted(run.columns))
        if rows and sum(bool(cell) for cell in rows[-1]) > 1:
            break
        end -= 1
    if end == start or not _is_table(rows):
        return None
    return Table(start, end, rows, lines[start].bold and not lines[end - 1].bold)


def _goes_on(lines: Sequence[Line], start: int, index: int) -> bool:
    """Same size, and near the line before or beside what stands above it."""
    if index == start:
        return True
    line, size = lines[index], lines[start].size
    lowest = min(other.y for other in lines[start:index])
    return (
        abs(line.size - size) <= 0.06 * size
        and lowest - line.y <= _FAR * size
        and line.y <= lines[start].y + size
    )


def _is_close(lines: Sequence[Line]) -> bool:
    """No gap between two heights that is wider than a row may be."""
    heights = sorted(line.y for line in lines)
    return all(upper - lower <= _NEAR * lines[0].size for lower, upper in pairwise(heights))


def _rows(lines: Sequence[Line], columns: Sequence[tuple[float, float]]) -> list[list[str]]:
    """Words of one height are a row, and so are the lines of a cell where rows stand further apart than they do."""
    size = lines[0].size
    heights = sorted({line.y for line in lines}, reverse=True)
    steps = [upper - lower for upper, lower in pairwise(heights) if upper - lower > _SAME_ROW * size]
    spaced = bool(steps) and max(steps) > _WRAPPED * size
    limit = (_WRAPPED if spaced else _SAME_ROW) * size
    rows: list[list[str]] = []
    place, previous = {}, 0.0
    for height in heights:
        if not rows or previous - height > limit:
            rows.append([""] * len(columns))
        place[height], previous = len(rows) - 1, height
    for line in sorted(lines, key=lambda line: -line.y):
        for cell in line.cells:
            column = next(i for i, (left, right) in enumerate(columns) if left <= cell.left <= right)
            row = rows[place[line.y]]
            row[column] = f"{row[column]} {cell.text}".strip()
    return rows


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    full = [row for row in rows if sum(bool(cell) for cell in row) > 1]
    lengths = [len(cell) for row in full for cell in row if cell]
    return len(full) >= _ROWS and 2 * len(full) > len(rows) and median(lengths) <= _CELL_CHARACTERS
