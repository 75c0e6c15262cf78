"""Compares amounts whatever their wording: two weeks are 14 days, 6 pm is 18:00, 65 euros are €65.

A number without a unit is compared by its figure alone, and dates by the parts that both of them name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from conversations.domain.memory.items import Number, numbers_in
from conversations.domain.words import contains_key, key_of

# Days of a unit of time. A month is 30 days and a year twelve months, as in everyday speech.
_DAYS = {"second": 1 / 86_400, "minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "night": 1.0, "week": 7.0}
_DAYS |= {"month": 30.0, "year": 360.0}
_SHORT = {"sec": "second", "min": "minute", "h": "hour", "hr": "hour", "d": "day", "wk": "week", "yr": "year"}
# "Within a month" is one month, "25 days a year" and "$29 a month" are rates.
_ONE = re.compile(
    r"(?:(?<=^)|(?<=\b(?:in|of|is|to|by)\s)|(?<=\bfor\s)|(?<=\bwas\s)|(?<=\bthan\s)|(?<=\b(?:about|after|takes|every)\s)|(?<=\bwithin\s)"
    rf"|(?<=\b(?:take|over|just|only)\s))an?(?=\s+(?:{'|'.join(_DAYS)})\b)",
    re.IGNORECASE,
)
_MEASURED = frozenset({"time", "money", "percent"})
_WORKING = re.compile(
    rf"\b(?:working|business|calendar|full|consecutive)\s+(?=(?:{'|'.join(_DAYS)})s?\b)", re.IGNORECASE
)
# 365 days and 12 months, 31 days and a month: one length of time in two units.
_SAME_LENGTH = 0.035
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_NUMERALS = {word: n for n, word in enumerate(_SMALL.split())}
_NUMERALS |= {
    word: 10 * n
    for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_SCALES = {
    "dozen": 12,
    "hundred": 100,
    "k": 1000,
    "thousand": 1000,
    "m": 10**6,
    "million": 10**6,
    "bn": 10**9,
    "billion": 10**9,
}
_CURRENCIES = tuple(
    (code, re.compile(called, re.IGNORECASE))
    for code, called in (
        ("EUR", r"€|\beuros?\b|\beur\b"),
        ("USD", r"\$|\bdollars?\b|\busd\b"),
        ("GBP", r"£|\bpounds?\b|\bgbp\b"),
        ("CHF", r"\bfrancs?\b|\bchf\b"),
    )
)
_CLOCK = re.compile(r"(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s?(?:([ap])\.?m)?", re.IGNORECASE)
_FIGURE = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d+)*")
_THOUSANDS = re.compile(r"[.,'’\u00a0\u202f](?=\d{3}(?:\D|$))")


@dataclass(frozen=True, slots=True)
class Measure:
    """An amount as written: its `figure`, -1 where it is no plain number, and the `key` of its text.

    `unit` is the unit of time or the currency, where it is known. `kind` is "time", "clock", "date", "money", "percent", or the key of what is counted, "" where nothing is said.
    `size` is what to compare within a kind: days, minutes after midnight, else the figure.
    """

    kind: str
    figure: float
    size: float
    key: str
    unit: str


def measures(text: str) -> tuple[Measure, ...]:
    """The amounts of a text in reading order."""
    return tuple(map(_measure, numbers_in(_ONE.sub("one", _WORKING.sub("", text)))))


def holds(amount: Measure, others: Iterable[Measure]) -> bool:
    """Whether one of the others says the same amount."""
    return any(_same(amount, other) for other in others)


def alike(amount: Measure, others: Iterable[Measure]) -> bool:
    """Whether one of the others says the same amount, or has the same figure and may be meant by it."""
    return any(_same(amount, other) or _may_mean(amount, other) for other in others)


def _may_mean(one: Measure, other: Measure) -> bool:
    """ "Two regions" is no 2 minutes, "2" may be."""
    kinds = {one.kind, other.kind}
    return one.figure == other.figure and (len(kinds) == 1 or "" in kinds or not kinds & _MEASURED)


def _same(one: Measure, other: Measure) -> bool:
    if "date" in (one.kind, other.kind):
        return contains_key(one.key, other.key) or contains_key(other.key, one.key)
    if not one.kind or not other.kind:
        return one.key == other.key if one.figure < 0 else one.figure == other.figure
    if one.kind == "time" == other.kind and one.unit != other.unit:
        return abs(one.size - other.size) <= _SAME_LENGTH * max(one.size, other.size)
    currencies = one.kind != "money" or one.unit == other.unit or not (one.unit and other.unit)
    return one.kind == other.kind and one.size == other.size and currencies


def _measure(number: Number) -> Measure:
    figure, unit = _figure(number.value), _SHORT.get(number.measure, number.measure)
    kind, size = unit, figure
    if unit == "money":
        unit = _currency(number.value)
    elif unit == "clock":
        size = _minutes(number.value)
    elif unit in _DAYS:
        kind, size = "time", figure * _DAYS[unit]
    return Measure(kind, figure, size, key_of(number.value), unit)


def _currency(value: str) -> str:
    """The code of a currency, whatever it was called by; "" where it is none of the common ones."""
    return next((code for code, called in _CURRENCIES if called.search(value)), "")


def _minutes(clock: str) -> float:
    match = _CLOCK.match(clock)
    if match is None:
        return -1.0
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0) if match[3] else int(match[1])
    return hour * 60.0 + int(match[2] or 0)


def _figure(value: str) -> float:
    """1,000 and 1.000 are a thousand; 4.2 is four and a bit; "twenty-five hundred" is 2,500. -1 where there is none."""
    written = _FIGURE.search(value)
    spelled = re.findall(r"[a-z]+", value.lower())
    scale = 1
    for word in spelled:
        scale *= _SCALES.get(word, 1)
    if written:
        plain = _THOUSANDS.sub("", written[0]).replace(",", ".")
        return float(plain) * scale if plain.count(".") <= 1 else -1.0
    named = [_NUMERALS[word] for word in spelled if word in _NUMERALS]
    return float(sum(named) or 1) * scale if named or scale > 1 else -1.0
