"""Finds what must survive word for word in a text: numbers with their units, proper names, and decisions.

Numbers and capitalised names are found by their form, so that they are kept in every language.
Where the text is English, names that open a sentence are told from ordinary words by the language analysis.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from conversations.domain.entities import names_of
from conversations.domain.language import Analysis
from conversations.domain.memory.decisions import decision_in
from conversations.domain.vocabulary import words
from conversations.domain.words import GENERIC_KEYS, STOP_KEYS, contains_key, key_of

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)"
)
_SIGN = r"(?:[€$£¥₹₩₽₺฿]|\b(?:EUR|USD|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|INR|CNY)\b|\bUS\$)"
_DIGITS = r"\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*"
_SPELLED = (
    r"(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[\s-](?:one|two|three|four|five|six|seven|eight|nine))?"
    r"|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:an?|one)(?=\s+(?:hundred|thousand|million|billion|dozen)\b)"
    r"|one(?=[\s-](?:minute|hour|day|week|month|year|night|person|time)\b))"
    r"(?:\s+(?:hundred|thousand|million|billion|dozen)\b)*"
)
_DATE = (
    rf"\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\b(?:\.?,?\s+\d{{4}})?"
    rf"|{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,?\s+\d{{4}})?|{_MONTH}\s+\d{{4}}"
)
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?[ap]m\b"
_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<date>{_DATE})(?!\w)|(?<![\w.,:])(?P<clock>{_CLOCK})(?![\w:])"
    rf"|(?P<sign>{_SIGN}\s?)?(?<![A-Za-zÀ-ɏ\d])(?<![\d][.,])(?P<figure>{_DIGITS})(?P<ordinal>(?:st|nd|rd|th)\b)?"
    r"(?P<scale>\s?(?:k|m|bn|hundred|thousand|million|billion)\b)?"
    rf"(?P<unit>\s?[%‰]|\s?percent\b|\s?per\s?cent\b|\s?{_SIGN}|-[a-z]+|\s?°[CF]?|\s?[^\W\d_][\w²³/]*)?"
    rf"|(?<![\w-])(?P<spelled>{_SPELLED})(?![\w])(?P<counted>[\s-][^\W\d_]\w*)?",
    re.IGNORECASE,
)
_MONEY = re.compile(
    rf"{_SIGN}|\b(?:euros?|dollars?|pounds?|francs?|cents?|pence|yen|rupees?)\b", re.IGNORECASE
)
_PERCENT = re.compile(r"[%‰]|\bper\s?cent\b", re.IGNORECASE)
_CAPITAL_BEFORE = re.compile(r"(?<!\w)([A-Z][\w-]*) $")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_WORD = re.compile(r"[^\W_](?:[\w&+#/]|['’.-](?=\w))*")
_OPENS = re.compile(r"(?:^|[.!?:;…•|\n\"“„«*(]|(?:^|\n)\s*[-–])\s*[\"“„«(*]*$")
_NO_NAMES = words("am pm eur usd gbp chf jpy cad aud sek nok dkk pln czk inr cny ok i i'm i'll i'd i've")
CITATION = re.compile(r"\s?[\[【]\d+(?:\s*,\s*\d+)*[\]】]")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that must survive. `kind` is "number", "name" or "decision"; `key` compares it."""

    kind: str
    key: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written with its unit, what it measures, and where it stands in its text."""

    value: str
    measure: str
    start: int


def numbers_in(text: str) -> tuple[Number, ...]:
    """The numbers of a text in reading order; the marks of citations and of lists are none."""
    return tuple(_numbers(CITATION.sub(lambda m: " " * len(m[0]), text)))


def names_in(text: str, known: Iterable[str] = ()) -> tuple[str, ...]:
    """The names of a text: those `known` that it holds, then what is capitalised; each once.

    A part of a longer name that was found is not told again.
    """
    held = sorted((name for name in known if _holds(text, name)), key=len, reverse=True)
    found: dict[str, str] = {}
    for name in (*held, *_capitalised(text)):
        key = key_of(name)
        if key and not any(contains_key(longer, key) for longer in found):
            found[key] = name
    return tuple(found.values())


def names_known(analysis: Analysis | None) -> tuple[str, ...]:
    """The names that the language analysis finds, those that open a sentence included."""
    if analysis is None or analysis.language != "en":
        return ()
    named = [_from_capital(t.text) for t in names_of(analysis) if not set(t.text) & set("\n|*")]
    proper = [
        t.text for t in analysis.tokens if t.pos == "PROPN" and t.text[:1].isupper() and len(t.text) > 1
    ]
    found = [name for name in dict.fromkeys((*named, *proper)) if name.lower() not in _NO_NAMES]
    return tuple(n for n in found if any(c.isupper() or c.isdigit() for c in n) and not is_quantity(n))


def is_quantity(text: str) -> bool:
    """Whether a phrase is a number with what it counts, or a date: "35 EUR", "12 July"."""
    return any(number.start == 0 for number in numbers_in(text.strip()))


def _from_capital(name: str) -> str:
    """ "dog Bolota" → "Bolota": what is written small before a name does not belong to it."""
    parts = name.split(" ")
    small = next((i for i, part in enumerate(parts) if not (part.isalpha() and part.islower())), 0)
    return " ".join(parts[small:])


def _holds(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def items_in(text: str, known: Iterable[str] = (), *, decisions: bool = True) -> frozenset[Item]:
    """Everything in one sentence that must survive."""
    found = {Item("number", key_of(number.value)) for number in numbers_in(text)}
    found |= {Item("name", key_of(name)) for name in names_in(text, known)}
    decided = decision_in(text) if decisions else ""
    if decided:
        found.add(Item("decision", key_of(decided)))
    return frozenset(item for item in found if item.key)


def survives(item: Item, text_key: str) -> bool:
    """Whether a text (as a key) still holds the item, as whole words; scripts without spaces have none."""
    return contains_key(text_key, item.key) or (not item.key.isascii() and item.key in text_key)


@lru_cache(maxsize=4096)
def measure_of(value: str) -> str:
    """What a number measures: "money", "percent", "date", "clock", or the key of the noun that it counts."""
    found = numbers_in(value)
    return found[0].measure if found else ""


def numerals(text: str) -> frozenset[str]:
    """The bare figures of a text as keys, without units: what a retelling may use."""
    plain = CITATION.sub(" ", text)
    return frozenset(key_of(match) for match in re.findall(r"\d+(?:[.,:'’]\d+)*", plain))


def _numbers(text: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(text):
        if _is_list_mark(match, text):
            continue
        value, measure = _value(match, _ends_name(match, text))
        yield Number(value, measure, match.start())


def _is_list_mark(match: re.Match[str], text: str) -> bool:
    before, after = text[: match.start()], text[match.end("figure") if match["figure"] else match.end() :]
    opens = not before.strip(" \t") or before.rstrip(" \t").endswith("\n")
    return bool(match["figure"]) and opens and len(match["figure"]) <= 2 and after[:2] in {". ", ") "}


def _ends_name(match: re.Match[str], text: str) -> bool:
    """ "Ward 7 costs": a number right after a name counts nothing."""
    before = _CAPITAL_BEFORE.search(text[: match.start()])
    if before is None or key_of(before[1]) in STOP_KEYS or _OPENS.search(text[: before.start(1)]):
        return False
    return match["sign"] is None and not _MONEY.search(match["unit"] or "")


def _value(match: re.Match[str], ends_name: bool) -> tuple[str, str]:
    if match["date"]:
        return match["date"], "date"
    if match["clock"]:
        return match["clock"], "clock"
    figure = match["figure"] or match["spelled"]
    unit = match["unit"] if match["figure"] else match["counted"]
    unit = "" if ends_name and not _PERCENT.search(unit or "") else unit
    is_year = bool(_YEAR.fullmatch(figure)) and not match["sign"] and not match["scale"]
    noun = (unit or "").strip(" -")
    if is_year and not (_MONEY.search(unit or "") or _PERCENT.search(unit or "")):
        return figure, "date"
    if (noun and key_of(noun) in STOP_KEYS) or noun.lower() in {
        "per",
        "or",
        "to",
        "x",
        "bis",
        "und",
        "et",
        "y",
    }:
        unit = ""
    ordinal = match["ordinal"] or ""
    value = f"{match['sign'] or ''}{figure}{ordinal}{match['scale'] or ''}{unit or ''}".strip()
    if ordinal and not unit:
        return value, "date"
    if _MONEY.search(value):
        return value, "money"
    return value, "percent" if _PERCENT.search(value) else key_of(unit or "")


def _capitalised(text: str) -> Iterator[str]:
    """Runs of capitalised words. One word that opens a sentence counts only when it is written like a name."""
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(text):
        follows = bool(run) and text[run[-1].end() : match.start()] == " "
        if run and not (follows and _is_capital(match[0])):
            yield from _run(run, text)
            run = []
        if _is_capital(match[0]):
            run.append(match)
    if run:
        yield from _run(run, text)


def _is_capital(word: str) -> bool:
    return word[0].isupper() and word.lower().replace("’", "'") not in _NO_NAMES


def _run(run: list[re.Match[str]], text: str) -> Iterator[str]:
    while run and _OPENS.search(text[: run[0].start()]):
        key = key_of(run[0][0])
        alone = len(run) == 1 or key in STOP_KEYS
        if not alone or (_is_coined(run[0][0]) and key not in STOP_KEYS):
            break
        run = run[1:]
    while run and key_of(run[0][0]) in STOP_KEYS | GENERIC_KEYS and not _is_coined(run[0][0]):
        run = run[1:]
    if run:
        yield re.sub(r"['’]s$", "", text[run[0].start() : run[-1].end()])


def _is_coined(word: str) -> bool:
    """RPO, McLeod, A4: written like no ordinary word."""
    return len(word) > 1 and any(char.isupper() or char.isdigit() for char in word[1:])
