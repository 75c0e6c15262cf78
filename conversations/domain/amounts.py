"""Understands an ellipsis that only changes a number: "and under 500 euros?", "for 3 years?", "and 16?" after version 15.

A number takes the place of a number with the same unit, or without one where the message names none.
Where the earlier question holds several such numbers nothing is swapped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from conversations.domain.frames import framed
from conversations.domain.marks import Mark
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange, Term
from conversations.domain.words import key_of

_AMOUNT = re.compile(
    r"(?<![\w.,-])(?:(?P<bound>over|above|under|below|(?:more|less|fewer|longer|shorter|older|younger)\s+than|up\s+to|at\s+(?:least|most)|within)\s+)?"
    r"(?P<number>[€$£¥]?\d+(?:[.,]\d+)*)(?P<unit>\s?%|[\s-]?(?!(?:in|on|for|at|to|and|or|of|from|with|then|instead|too|per)\b)[^\W\d_]+)?(?![\w-])",
    re.IGNORECASE,
)

_ONE = re.compile(r"\s+ones?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as it stands in a text. `unit` is the word or sign behind or before it, `bound` what limits it."""

    bound: str
    number: str
    unit: str

    @property
    def text(self) -> str:
        return f"{self.bound} {self.bare}".strip()

    @property
    def bare(self) -> str:
        """Without the word that bounds it."""
        return f"{self.number}{self.unit}"

    @property
    def kind(self) -> str:
        """What is counted: equal for "1 year" and "3 years"."""
        return key_of(self.unit) or self.unit.strip() or self.number[0] * (not self.number[0].isdigit())


def amounts(text: str) -> tuple[Amount, ...]:
    """The numbers of a text in reading order."""
    found = (match.group("bound", "number", "unit") for match in _AMOUNT.finditer(text))
    return tuple(Amount(bound or "", number, unit or "") for bound, number, unit in found)


def other_amount(reading: Reading, antecedent: Exchange) -> tuple[Term, Term] | None:
    """The amount of the earlier question and the one that takes its place, None where it is no such ellipsis."""
    match = framed(reading)
    if match is None or not reading.has(Mark.ELLIPSIS, Mark.CONTINUES, Mark.VERBLESS, Mark.CORRECTION):
        return None
    said = amounts(reading.core)
    rest = _ONE.sub("", match.group("rest").strip())
    if len(said) != 1 or rest not in {said[0].bare, said[0].text}:
        return None
    new = said[0]
    held = [a for a in amounts(antecedent.query) if not new.kind or a.kind == new.kind]
    return _in_place(held[0], new) if len(held) == 1 and held[0].text != new.text else None


def _in_place(old: Amount, new: Amount) -> tuple[Term, Term]:
    """ "Under 500" for "over 2,000 euros" keeps the euros; "500 euros" for "over 2,000 euros" keeps the "over"."""
    if not new.kind or ("-" in old.unit) != ("-" in new.unit):
        many = old.number == "1" != new.number and old.unit.startswith(" ")
        new = replace(new, unit=f"{old.unit}s" if many and not old.unit.endswith("s") else old.unit)
    return _term(old.text if new.bound else old.bare), _term(new.text)


def _term(text: str) -> Term:
    return Term(text, key_of(text), "amount")
