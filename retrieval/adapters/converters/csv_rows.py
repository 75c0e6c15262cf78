"""Files of values separated by commas, semicolons, tabs or bars, by the standard library's reader."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import PurePath

from retrieval.adapters.converters.grid import write_grid
from retrieval.domain.errors import DocumentCorrupt
from retrieval.domain.outline import Outline

_DELIMITERS = ",;\t|"
_SAMPLE_CHARACTERS = 50_000
_CELL_CHARACTERS = 10_000_000


def read_csv(text: str, filename: str, outline: Outline) -> None:
    """Fill `outline` row by row. Raises DocumentCorrupt for quotes that never end."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    hint, _, rest = text.partition("\n")
    if hint.lower().startswith("sep=") and len(hint) == 5:
        text, delimiter = rest, hint[4]
    else:
        delimiter = sniff_delimiter(text, filename)
    write_grid(outline, _rows(text, delimiter), named=True)


def sniff_delimiter(text: str, filename: str = "") -> str:
    """The sign that cuts the first lines into the most columns, equally many in most of them."""
    sample = text[:_SAMPLE_CHARACTERS]
    if len(text) > len(sample):
        sample = sample.rpartition("\n")[0] or sample
    default = "\t" if PurePath(filename).suffix.lower() in (".tsv", ".tab") else ","
    scores = {sign: _agreement(sample, sign) for sign in _DELIMITERS}
    best = max(_DELIMITERS, key=lambda sign: (scores[sign], sign == default))
    return best if scores[best] > 0 else default


def _agreement(sample: str, delimiter: str) -> float:
    try:
        widths = Counter(len(row) for row in csv.reader(io.StringIO(sample), delimiter=delimiter) if row)
    except csv.Error:
        return 0.0
    wide = {width: count for width, count in widths.items() if width > 1}
    if not wide:
        return 0.0
    width, count = max(wide.items(), key=lambda item: (item[1], item[0]))
    return count / widths.total() + min(width, 50) / 1000


def _rows(text: str, delimiter: str) -> list[list[str]]:
    csv.field_size_limit(_CELL_CHARACTERS)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
        return [[cell.strip() for cell in row] for row in reader]
    except csv.Error as error:
        raise DocumentCorrupt from error
