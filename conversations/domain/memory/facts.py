"""Writes down what was said so that it survives word for word: numbers, names, decisions and constraints.

Each fact keeps its sentence, its value, what it is about and what it states of it, so that a correction can find it.
A question states nothing, but a number in it ("for 120 people, what …?") binds the answers that follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from conversations.domain.language import Analysis
from conversations.domain.memory.decisions import constraint_in, decision_in, is_question
from conversations.domain.memory.items import CITATION, Number, is_quantity, names_in, names_known, numbers_in
from conversations.domain.memory.statements import Statement, clause_with, statements_of
from conversations.domain.memory.subjects import USER, About, about
from conversations.domain.memory.values import Fact
from conversations.domain.state import Exchange
from conversations.domain.words import GENERIC_KEYS, STOP_KEYS, contains_key, key_of

RETRACTED = "retracted"
MOST_FACTS = 120
LONGEST_ATTRIBUTE = 4
LONGEST_VALUE = 120
_TAKEN_BACK = re.compile(
    r"(?:\bnot|\binstead\s+of|\brather\s+than|\bno\s+longer)\s+(?:(?:for|in|to|on|at|from|the|a|an|my|our|with)\s+)*(?P<wrong>[^,.;!?]{1,60})",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"^(?:(?:well|ok(?:ay)?|sorry|actually|no|oops|wait|hmm|and|but|so|then|thanks|great|yes)[\s,.!:—–-]+)+",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Source:
    """One side of an exchange while it is read."""

    analysis: Analysis
    said_by: str
    names: tuple[str, ...]
    subject: str
    turn: int
    chunks: tuple[str, ...] = ()


def facts_of(exchange: Exchange, message: Analysis, answer: Analysis) -> tuple[Fact, ...]:
    """Every fact of an exchange, the user's first, in reading order, each once.

    A value that the user takes back ("not 2022") comes as a fact of kind `RETRACTED`, for `ledger.record`.
    `message` and `answer` are analyses of the whole texts; where they are empty nothing is found.
    """
    subject = main_subject(exchange)
    user = _Source(message, "user", names_known(message), subject, exchange.turn)
    told = _Source(answer, "assistant", names_known(answer), subject, exchange.turn, exchange.chunks)
    found = (*_facts(user), *_facts(told))
    return tuple({(f.said_by, f.key, f.attribute, key_of(f.value)): f for f in reversed(found)}.values())[
        ::-1
    ][:MOST_FACTS]


def values_taken_back(message: str) -> tuple[str, ...]:
    """What a message says is wrong, as written: "2022" of "I meant 2023, not 2022"."""
    return tuple(match["wrong"].strip() for match in _TAKEN_BACK.finditer(message))


def main_subject(exchange: Exchange) -> str:
    """What an exchange is about: the first name in it, else the first noun phrase."""
    held = [term for term in (*exchange.terms, *exchange.inherited) if not is_quantity(term.text)]
    named = next((term for term in held if term.name and term.type != "date"), None)
    first = named or next(iter(held), None)
    return first.text if first else ""


def _facts(source: _Source) -> Iterator[Fact]:
    cursor, last = 0, ""
    text = CITATION.sub(lambda match: " " * len(match[0]), source.analysis.text)
    for statement in statements_of(source.analysis.text):
        found = text.find(statement.text[:24], cursor)
        cursor = found if found >= 0 else cursor
        for fact in _of_statement(statement, source, cursor, last):
            yield fact
            last = fact.entity if fact.entity != USER else last


def _of_statement(statement: Statement, source: _Source, start: int, last: str) -> Iterator[Fact]:
    text = statement.text
    user = source.said_by == "user"
    wrong = _TAKEN_BACK.search(text) if user else None
    asks = is_question(text)
    decided = decision_in(text)
    bound = constraint_in(text) if user else ""
    values = tuple(v for v in _values(statement, source, asks) if len(v[0]) <= LONGEST_VALUE)
    for value, kind, measure in values:
        taken_back = wrong is not None and wrong.start("wrong") <= text.find(value) < wrong.end("wrong")
        said = About(USER, measure) if asks else _about(statement, source, value, measure, start, last)
        yield _fact(source, said, clause_with(text, value), value, RETRACTED if taken_back else kind)
    if decided:
        yield _fact(source, _decided(source, decided, start), text, decided, "decision")
    elif bound and not values:
        yield _fact(source, About(USER, _constrained(bound)), text, bound, "constraint")


def _values(statement: Statement, source: _Source, asks: bool) -> Iterator[tuple[str, str, str]]:
    """(value, kind, measure) of every number and name; a number that is part of a name ("Ward 7") comes with it."""
    numbers = numbers_in(statement.text)
    named = () if asks or " " not in statement.text.strip() else names_in(_naming(statement), source.names)
    names = [n for n in named if not any(contains_key(key_of(v.value), key_of(n)) for v in numbers)]
    for number in numbers:
        if not (asks and not number.measure) and not any(_numbered(n, number, statement.text) for n in names):
            yield number.value, "number", number.measure
    for name in names:
        yield name, "name", ""


def _numbered(name: str, number: Number, text: str) -> bool:
    """Whether a number is the end of a name, as in "Ward 7 costs"."""
    figure = number.value.split(" ")[0]
    start = number.start - (len(name) - len(figure))
    return name.endswith(figure) and start >= 0 and text[start:].startswith(name)


def _naming(statement: Statement) -> str:
    """Where a statement's names stand: the headings of a table's columns are written like names and are none."""
    if statement.cells:
        return "; ".join((statement.label, *(value for _, value in statement.cells)))
    return _LEADS.sub("", statement.text)


def _about(statement: Statement, source: _Source, value: str, measure: str, start: int, last: str) -> About:
    """What a value is said of: the row's or item's label, else the grammar, else what was spoken of before."""
    if statement.label:
        column = next((heading for heading, cell in statement.cells if value in cell), "")
        return About(statement.label, _attribute(column or statement.about) or measure)
    position = source.analysis.text.find(value, start)
    said = about(source.analysis, position, _places(source)) if position >= 0 else About()
    before = (last or source.subject) if said.refers else source.subject
    entity = said.entity or before or (USER if source.said_by == "user" else said.attribute)
    return About(entity, said.attribute or measure)


def _places(source: _Source) -> tuple[str, ...]:
    """The names that can be spoken of: a date is when, not what."""
    dates = [key_of(n.value) for n in numbers_in(source.analysis.text) if n.measure == "date"]
    return tuple(
        name
        for name in source.names
        if not name.endswith(("day", "days")) and not any(contains_key(date, key_of(name)) for date in dates)
    )


def _attribute(heading: str) -> str:
    """The key of a column or of a short line over a list; a whole sentence is no attribute."""
    key = key_of(heading)
    words = key.split()
    return "" if len(words) > LONGEST_ATTRIBUTE or set(words) <= STOP_KEYS | GENERIC_KEYS else key


def _decided(source: _Source, decided: str, start: int) -> About:
    """A user's decision is the user's; what an answer tells of one is about whoever decided."""
    if source.said_by == "user":
        return About(USER, "decision")
    position = source.analysis.text.find(decided, start)
    said = about(source.analysis, position, _places(source)) if position >= 0 else About()
    return About(said.entity or source.subject or said.attribute, "decision")


def _constrained(bound: str) -> str:
    """The key of what a user says of themselves: "our budget is small" → "budget"."""
    content = [word for word in key_of(bound).split() if word not in STOP_KEYS and word not in GENERIC_KEYS]
    return content[0] if content else ""


def _fact(source: _Source, said: About, fact: str, value: str, kind: str) -> Fact:
    return Fact(
        entity=said.entity,
        key=key_of(said.entity),
        fact=fact,
        value=value,
        turn=source.turn,
        attribute=said.attribute,
        said_by=source.said_by,
        kind=kind,
        chunks=source.chunks,
    )
