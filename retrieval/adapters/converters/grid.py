"""Cells of a sheet or a file of values, as rows that name their columns.

A sheet is whatever people made of it: a title above, several tables with empty rows between them, headers on two
levels, or no header at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from retrieval.domain.outline import Outline, is_long

Row = Sequence[str]
_NUMBER = re.compile(r"[-+(]?[$€£¥]?\s?\d[\d.,\s'%)/:-]*(?:[a-zA-Z%€$£]{1,3})?")
_HEADER_CHARACTERS = 80
_LOOKED_AT = 21


def write_grid(
    outline: Outline, rows: Sequence[Row], page: int | None = None, *, named: bool = False
) -> None:
    """Write the tables and titles found in `rows`. `named` says that the first row names the columns if it can."""
    records = is_long(len(rows))
    header: list[str] = []
    for block in _blocks(rows):
        block = _without_empty_columns(_after_titles(outline, block, page))
        if not block:
            continue
        found, height = find_header(block, named=named or records)
        header = found if found or _width(block) != len(header) else header
        outline.table(header, block[height:], page, records=records)


def find_header(rows: Sequence[Row], *, named: bool = False) -> tuple[list[str], int]:
    """The names of the columns and how many rows they take at the top: 0, 1 or, for names in groups, 2.

    Two columns are as often a list of properties, one a row, so there the values must differ from the names in kind.
    """
    if len(rows) < 2:
        return [], 0
    first, second = list(rows[0]), list(rows[1])
    if _is_grouped(first, second, rows[2:_LOOKED_AT]):
        return [_joined(*pair) for pair in zip(_carried(first), second, strict=False)], 2
    below = rows[1:_LOOKED_AT]
    if _width(below) == 2 and not named and (len(below) < 2 or not _differ_in_kind(first, below)):
        return [], 0
    return (first, 1) if _names_columns(first, below) else ([], 0)


def _blocks(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Runs of rows without an empty one."""
    block: list[Row] = []
    for row in rows:
        if any(cell.strip() for cell in row):
            block.append(row)
        elif block:
            yield block
            block = []
    if block:
        yield block


def _after_titles(outline: Outline, block: list[Row], page: int | None) -> list[Row]:
    """Rows of a single cell above a wider table are its title and its notes."""
    if _width(block) < 2:
        for row in block:
            outline.paragraph(next(cell for cell in row if cell.strip()), page)
        return []
    titles = 0
    while _filled(block[titles]) == 1:
        outline.paragraph(next(cell for cell in block[titles] if cell.strip()), page)
        titles += 1
    return block[titles:]


def _without_empty_columns(block: list[Row]) -> list[Row]:
    used = sorted({index for row in block for index, cell in enumerate(row) if cell.strip()})
    if used == list(range(len(used))):
        return block
    return [[row[index] if index < len(row) else "" for index in used] for row in block]


def _width(rows: Sequence[Row]) -> int:
    return max((index + 1 for row in rows for index, cell in enumerate(row) if cell.strip()), default=0)


def _filled(row: Row) -> int:
    return sum(bool(cell.strip()) for cell in row)


def _names_columns(first: Row, below: Sequence[Row]) -> bool:
    """Every column that has values has a short name of its own, and the names are no values."""
    used = [index for index in range(_width(below)) if any(index < len(row) and row[index] for row in below)]
    names = [first[index].strip() if index < len(first) else "" for index in used]
    named = [name for name in names if name]
    if len(named) < max(2, len(used) - 1) or len({name.lower() for name in named}) < len(named):
        return False
    return all(_is_name(name) for name in named)


def _is_name(text: str) -> bool:
    is_year = bool(re.fullmatch(r"(?:19|20)\d\d", text))
    return len(text) <= _HEADER_CHARACTERS and (is_year or not _NUMBER.fullmatch(text))


def _is_grouped(first: list[str], second: list[str], below: Sequence[Row]) -> bool:
    """A row of groups, each over several columns, above a row that names every column."""
    groups = [name for name in first if name]
    names = [name for name in second if name]
    spans = 1 < len(groups) < len(names) or len(set(groups)) < len(groups)
    full = len(second) > 2 and all(second) and all(map(_is_name, (*groups, *names)))
    return bool(below) and spans and full and _differ_in_kind(second, below)


def _differ_in_kind(names: Row, below: Sequence[Row]) -> bool:
    """Whether a column after the first holds nothing but numbers or dates under a name that is none."""
    for index in range(1, len(names)):
        values = [row[index].strip() for row in below if index < len(row) and row[index].strip()]
        if names[index] and values and _is_name(names[index]) and all(map(_NUMBER.fullmatch, values)):
            return True
    return False


def _joined(group: str, name: str) -> str:
    return name if not group or group == name else f"{group} {name}"


def _carried(row: list[str]) -> Iterator[str]:
    """The name of a group stands in its first column and counts for those after it."""
    name = ""
    for cell in row:
        name = cell or name
        yield name
