"""What was taken out of a text and put into it, word by word, for marking both in one text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

_PIECE = re.compile(r"\w+|\s+|[^\w\s]")
# Comparing two stretches word by word takes time with the product of their lengths; longer ones are marked whole.
MOST_COMPARISONS = 250_000


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of text. `sign` is "=" for what stayed, "-" for what was taken out, "+" for what was put in."""

    text: str
    sign: str = "="


def text_marks(before: str, after: str) -> tuple[Stretch, ...]:
    """Both texts in one. Those that stayed or were put in make up `after`, those that stayed or went `before`."""
    joined: list[Stretch] = []
    for stretch in _lines(before.splitlines(keepends=True), after.splitlines(keepends=True)):
        if joined and joined[-1].sign == stretch.sign:
            joined[-1] = Stretch(joined[-1].text + stretch.text, stretch.sign)
        elif stretch.text:
            joined.append(stretch)
    return tuple(joined)


def _lines(before: list[str], after: list[str]) -> Iterator[Stretch]:
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after).get_opcodes():
        old, new = "".join(before[i1:i2]), "".join(after[j1:j2])
        if kind == "equal":
            yield Stretch(old)
        else:
            yield from _words(old, new)


def _words(old: str, new: str) -> Iterator[Stretch]:
    one, other = _PIECE.findall(old), _PIECE.findall(new)
    if not one or not other or len(one) * len(other) > MOST_COMPARISONS:
        yield from (Stretch(old, "-"), Stretch(new, "+"))
        return
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Stretch("".join(one[i1:i2]))
        else:
            yield Stretch("".join(one[i1:i2]), "-")
            yield Stretch("".join(other[j1:j2]), "+")
