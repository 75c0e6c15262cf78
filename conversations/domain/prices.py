"""Finds what "the cheaper one" means: of the things that an answer told the price of, the one with the lowest.

Only prices of one answer are compared; where two are the same, or only one is told, nothing is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conversations.domain.amounts import Amount, amounts
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange, Term
from conversations.domain.vocabulary import words
from conversations.domain.words import key_of

_LOW = r"cheap(?:er|est)|(?:less|least)\s+expensive"
_HIGH = r"(?:more|most)\s+expensive|dear(?:er|est)|pric(?:ier|iest)"
_BY_PRICE = re.compile(
    rf"\bthe\s+(?:(?P<low>{_LOW})|(?:{_HIGH}))(?:\s+(?:ones?|options?)\b|\s+of\s+(?:these|those|them|the\s+two)\b|\s*(?:[?.!,;]|$))",
    re.IGNORECASE,
)
_MONEY = words(
    "€ $ £ ¥ euro pound dollar franc yen krona krone crown zloty eur usd gbp chf nok sek dkk pln jpy"
)
_FREE = re.compile(r"\b(?:free|no charge|costs? nothing)\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")


def asks_by_price(reading: Reading) -> bool:
    """Whether the message picks something by its price: "and the cheaper one?"."""
    return bool(_BY_PRICE.search(reading.core))


def picked_by_price(reading: Reading, exchanges: Iterable[Exchange]) -> tuple[Exchange, Term] | None:
    """The latest exchange that told several prices, and the thing that is meant by its price."""
    match = _BY_PRICE.search(reading.core)
    if match is None:
        return None
    for exchange in sorted(exchanges, key=lambda e: -e.turn):
        told = sorted(_priced(exchange), key=lambda pair: pair[0], reverse=not match.group("low"))
        if len(told) > 1:
            return (exchange, told[0][1]) if told[0][0] != told[1][0] else None
    return None


def passed_over(reading: Reading, exchange: Exchange) -> frozenset[str]:
    """Keys of the other things whose price was told beside the one that is meant by its own."""
    chosen = picked_by_price(reading, (exchange,))
    told = _priced(exchange) if chosen else []
    return frozenset(term.key for _, term in told if chosen and term != chosen[1])


def _priced(exchange: Exchange) -> list[tuple[float, Term]]:
    """The things of an answer whose price follows them before the next thing is named."""
    rows = _rows(exchange.answer)
    if len(rows) > 1:
        return rows
    named = [t for t in exchange.terms if _proper(t)]
    found = [(at, term) for term in exchange.items or named for at in _places(term, exchange.answer)]
    found.sort(key=lambda pair: pair[0])
    prices: dict[str, tuple[float, Term]] = {}
    ends = [*(start for start, _ in found[1:]), len(exchange.answer)]
    for (start, term), end in zip(found, ends, strict=False):
        price = _price(exchange.answer[start:end].removeprefix(term.text))
        if price is not None:
            prices.setdefault(term.key, (price, term))
    return list(prices.values())


_ROW = re.compile(r"\s*(?P<name>[A-Z][\w-]*(?:\s+[A-Z][\w-]*)*)\s+(?P<price>(?:from\s+)?[^\s].*)")


def _rows(answer: str) -> list[tuple[float, Term]]:
    """ "Price per month: Basic free; Plus €49": the first column of a table that was told in a row."""
    told = (line.rpartition(": ")[2] for line in answer.splitlines() if ";" in line)
    cells = (match for row in told for match in map(_ROW.match, row.split(";")) if match)
    priced = ((_price(match.group("price")), match.group("name")) for match in cells)
    return [(price, Term(name, key_of(name), "topic", True)) for price, name in priced if price is not None]


def _proper(term: Term) -> str:
    """ "Silver" of "Silver tariff": what an answer calls it for short."""
    return " ".join(word for word in term.text.split() if word[:1].isupper())


def _places(term: Term, text: str) -> list[int]:
    called = (
        term.text if re.search(rf"(?<!\w){re.escape(term.text)}(?!\w)", text) else _proper(term) or term.text
    )
    return [match.start() for match in re.finditer(rf"(?<!\w){re.escape(called)}(?!\w)", text)]


def _price(text: str) -> float | None:
    money = next((amount for amount in amounts(text) if _is_money(amount)), None)
    if money is not None:
        return float(_THOUSANDS.sub("", money.number.lstrip("€$£¥")).replace(",", "."))
    return 0.0 if _FREE.search(text) else None


def _is_money(amount: Amount) -> bool:
    return amount.number[0] in _MONEY or amount.kind in _MONEY
