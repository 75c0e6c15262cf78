"""Understands an ellipsis that says more of the last question and takes nothing's place: "and at weekends?", "and in winter?".

A time, a number of people or nights, or who may do it, is added behind the question where nothing of its kind stands in it.
What can take a like thing's place is a swap and never comes here.
"""

from __future__ import annotations

from collections.abc import Sequence

from conversations.domain.counterparts import is_of_the_asker
from conversations.domain.frames import framed
from conversations.domain.marks import Mark
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange, Term
from conversations.domain.substituting import parted
from conversations.domain.swapping import asked_of_the_next
from conversations.domain.wanted import is_time
from conversations.domain.words import NUMBERS, key_of

# Words that a question has at the least.
FEWEST_ASKED = 3


def addition(reading: Reading, antecedent: Exchange) -> str:
    """What the message adds to the earlier question, as it is written there; empty where it adds nothing."""
    match = framed(reading) if reading.has(Mark.ELLIPSIS, Mark.CONTINUES, Mark.VERBLESS) else None
    question, _ = parted(antecedent)
    if match is None or reading.strong or len(question.split()) < FEWEST_ASKED:
        return ""
    rest = match["rest"].strip(" .")
    known = next((term for term in reading.terms if term.key == key_of(rest)), None)
    new = known or Term(rest, key_of(rest))
    if match["prep"] and (is_time(new) or _counts(rest)):
        held = (*antecedent.terms, *antecedent.inherited)
        return "" if is_time(new) and any(map(is_time, held)) else _written(reading, match.span("prep"), rest)
    return new.text if known and is_of_the_asker(new, question) else ""


def asked_again_of(reading: Reading, exchanges: Sequence[Exchange]) -> Exchange | None:
    """The question that a place, a day or a code alone asks again, or that the message says more of: the last."""
    return asked_of_the_next(reading, exchanges) or (
        exchanges[-1] if addition(reading, exchanges[-1]) else None
    )


def _counts(rest: str) -> bool:
    """ "Two people", "3 nights": so many of something."""
    first, _, more = rest.partition(" ")
    return bool(more) and (first.isdigit() or first.lower() in NUMBERS)


def _written(reading: Reading, preposition: tuple[int, int], rest: str) -> str:
    text = reading.core.strip()
    return text[preposition[0] : text.rindex(rest) + len(rest)]


def with_addition(antecedent: Exchange, added: str) -> str:
    """The earlier question with what is added behind it, and behind that what it went on carrying."""
    question, kept = parted(antecedent)
    if " " not in added or added[:1].isupper():  # no preposition ties it to the question
        return f"{question} {added} {kept}".strip()
    mark = "?" if question.rstrip().endswith("?") else ""
    return f"{question.rstrip(' ?.!')} {added}{mark} {kept}".strip()
