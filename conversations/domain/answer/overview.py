"""The names in a table, for a question that asks for all of them: "which stores do you have?".

A table with a column "Store" answers with what stands in that column; a table whose corner is empty compares
the things in its heading, and answers with those.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from conversations.domain.answer.question import Question
from conversations.domain.answer.terms import stems
from conversations.domain.answer.units import Unit, units
from conversations.domain.answer.values import Passage

_FEWEST = 2


def overviews(passage: Passage, question: Question) -> Iterator[tuple[tuple[int, ...], Unit]]:
    """Positions of the rows, and one piece that names what the question wants listed, for each table of a passage."""
    if not question.listed:
        return
    rows = [(at, unit) for at, unit in enumerate(units(passage.text)) if unit.kind == "row" and unit.cells]
    for _, group in groupby(rows, key=lambda row: row[1].block):
        table = list(group)
        label, told = _names([unit for _, unit in table], passage, question)
        if len(told) >= _FEWEST:
            source = "\n".join(unit.source for _, unit in table)
            text = f"{label}: {', '.join(told)}"
            yield (
                tuple(at for at, _ in table),
                Unit(text, source, "overview", about=" ".join(question.listed)),
            )


def _names(rows: list[Unit], passage: Passage, question: Question) -> tuple[str, tuple[str, ...]]:
    corner = rows[0].cells[0][0]
    if question.listed <= stems(corner):
        return corner, tuple(dict.fromkeys(row.cells[0][1] for row in rows))
    if not corner and question.listed <= stems(
        f"{passage.title} {' '.join(passage.heading_path)} {passage.text}"
    ):
        label = passage.heading_path[-1] if passage.heading_path else passage.title
        return label, tuple(heading for heading, _ in rows[0].cells[1:])
    return "", ()
