"""Says what kind of thing a reference wants, and which earlier exchange holds one: a place for "there", a person for "she".

What the user spoke of comes before what only an answer named, and a question that asked where was about the place it got.
A pronoun goes on meaning what it meant in the turn before, until something else in its number is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conversations.domain.aspects import ATTRIBUTES, is_doing
from conversations.domain.cues import CueKind
from conversations.domain.marks import Mark
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange, Term
from conversations.domain.vocabulary import words
from conversations.domain.words import (
    CALENDAR,
    GENERIC_KEYS,
    PERSON_REFERENCE,
    PLACE_NOUNS,
    contains_key,
    in_plural,
    key_of,
)

_ASKS_WHERE = re.compile(r"\b(?:where|(?:which|what)\s+(?:" + "|".join(sorted(PLACE_NOUNS)) + r")s?)\b", re.I)
_INSIDE_IT = re.compile(r"\b(?:in|into|inside|within)\s+(?:it|that\s+one|this\s+one)\b", re.IGNORECASE)
_TIMES = CALENDAR | {key_of("christmas"), key_of("easter")}
# What a phrase must end in to be a time: "winter" is one, a "winter coat" is none.
_SPANS = words(
    "spring summer autumn winter morning afternoon evening night noon midday midnight weekend weekday weeknight"
)
_FREE_DAYS = re.compile(r"(?:bank|public|national|school)\s+holiday")
SINGULAR = frozenset({"it", "its", "itself"})
PLURAL = frozenset({"they", "them", "their", "theirs", "these", "those"})


def wanted_type(reading: Reading) -> str:
    """ "place", "person", or empty where anything may be meant."""
    if reading.cue.named and reading.cue.kind is CueKind.RETURN:
        return ""
    if reading.has(Mark.PLACE):
        return "" if _says_where(reading) else "place"
    pronouns = {word.lower() for mark, word in reading.marks if mark is Mark.PRONOUN}
    if pronouns & PERSON_REFERENCE:
        return "person"
    if reading.strong and _points_at_place(reading):
        return "place"
    turned = reading.cue.kind is CueKind.PIVOT
    return (
        "place"
        if turned
        and reading.has(Mark.PRONOUN, Mark.ONES, Mark.DEMONSTRATIVE)
        and _INSIDE_IT.search(reading.core)
        else ""
    )


def _says_where(reading: Reading) -> bool:
    """ "It's Larkfield she is in, what runs there?": the message itself has named the place in a clause before."""
    said = reading.core[: next((t.start for t in reading.analysis.tokens if t.lower in {"there", "here"}), 0)]
    named = any(t.name and not is_time(t) and t.text in said for t in reading.terms)
    return named and bool(re.search(r"[.;!?,]", said))


def _points_at_place(reading: Reading) -> bool:
    """ "That city", "the same lovely town"; "that hotel range" is no place."""
    tokens = reading.analysis.tokens
    return any(t.lower in {"this", "that", "same"} and tokens[t.head].lower in PLACE_NOUNS for t in tokens)


def _is(term: Term, wanted: str) -> bool:
    return term.type == wanted or (
        wanted == "place" and term.key.split()[-1] in PLACE_NOUNS and " " in term.key
    )


def of_type(exchange: Exchange, wanted: str) -> tuple[Term, ...]:
    """The exchange's things of that type that the user spoke of, or asked for and got; else the answer's."""
    spoken = (*exchange.terms, *exchange.inherited)
    held = tuple(t for t in spoken if t.type == wanted)
    got = tuple(t for t in _in_order(exchange) if t.type == wanted)
    if wanted == "place":
        held = held or located(spoken, exchange.message) or tuple(t for t in spoken if _is(t, wanted))
        got = (
            got
            or located(_in_order(exchange), exchange.answer)
            or tuple(t for t in _in_order(exchange) if _is(t, wanted))
        )
    if wanted == "place" and _ASKS_WHERE.search(exchange.message) and got:
        return got[:1]
    return held or got[:1]


def where_it_is(terms: tuple[Term, ...], exchange: Exchange) -> tuple[Term, ...]:
    """The terms with the place that the answer gave in the place of the one from which it was asked where."""
    if not _ASKS_WHERE.search(exchange.message):
        return terms
    got = of_type(exchange, "place")[:1]
    from_places = (*(t for t in terms if t.type == "place"), *located(terms, exchange.message))
    asked_from = {term.key for term in from_places} - {term.key for term in got}
    if not got or not asked_from or got[0] not in exchange.answer_terms:
        return terms
    return (*got, *(term for term in terms if term.key not in asked_from))


# "Is there a lift?", "are there any lockers": what there is is somewhere.
_WHAT_IS_THERE = re.compile(
    r"^(?:(?:and|so|but|ok(?:ay)?|also|then)[\s,]+)*(?:is|are)\s+there\s+(?:an?|any)\s+(?P<thing>[\w'’-]+(?:\s+(?!(?:in|at|on|for|with|to|of|from|when|if|that|which|between|by|near)\b)[\w'’-]+){0,2})\s*[?.!]*$",
    re.IGNORECASE,
)


def there_of(reading: Reading, exchange: Exchange | None) -> Term | None:
    """The place of which "is there a lift?" is asked, where the last question was asked of one place; else None.

    What is no thing to be found somewhere, a fee or a deadline, is asked of none.
    """
    match = _WHAT_IS_THERE.match(reading.core.strip())
    thing = key_of(match["thing"]) if match and exchange else ""
    if not thing or exchange is None or any(t.type == "place" and t.key != thing for t in reading.terms):
        return None
    head = thing.split()[-1]
    if head in PLACE_NOUNS and match and match["thing"][:1].isupper():  # "a Leeds store" says which
        return None
    if head in ATTRIBUTES or is_doing(head) or set(thing.split()) <= GENERIC_KEYS:
        return None
    said = (*exchange.terms, *exchange.inherited)
    places = tuple(t for t in said if _is(t, "place")) or located(said, exchange.message)
    whole = {
        t.key: t for t in places if not any(t.key != o.key and contains_key(o.key, t.key) for o in places)
    }
    return next(iter(whole.values())) if len(whole) == 1 else None


def is_time(term: Term) -> bool:
    """A date, a day or a month in any spelling, a season or a part of the day: "thursdays", "winter", "bank holidays"."""
    spoken = term.key.split()
    span = bool(spoken) and (spoken[-1] in _SPANS or _FREE_DAYS.fullmatch(term.key) is not None)
    return term.type == "date" or span or bool(_TIMES & set(spoken))


def located(terms: Iterable[Term], said: str) -> tuple[Term, ...]:
    """The names that stand where a place does, whatever the language library takes them for: "on Linnet", "at Brookgate"."""
    return tuple(
        t
        for t in terms
        if t.name and not is_time(t) and (t.type != "person" or " " not in t.key)
        if re.search(rf"\b(?:in|at|on|to|near|from)\s+(?:the\s+)?{re.escape(t.text)}(?!\w)", said)
    )


_CHOOSES_ONE = re.compile(r"\b(?:which|what)\s+(?:one|ones|of\s+(?:them|these|those))\b", re.IGNORECASE)


def kind_to_choose_from(reading: Reading, exchange: Exchange) -> Term | None:
    """For "which one has parking?": what the alternatives are, the store of "Bristol, Leeds and Dublin"; None if unclear."""
    if not _CHOOSES_ONE.search(reading.core):
        return None
    places = sum(term.type == "place" for term in (*exchange.items, *exchange.answer_terms)) > 1
    spoken = (*exchange.terms, *exchange.inherited)
    fitting = (t for t in spoken if (t.key.split()[-1] in PLACE_NOUNS if places else in_plural(t.text)))
    return next(fitting, None)


def speaks_of(exchange: Exchange, wanted: str) -> bool:
    """Whether the user spoke of such a thing, or asked where and was told."""
    if any(_is(t, wanted) for t in (*exchange.terms, *exchange.inherited)):
        return True
    return (
        wanted == "place" and bool(_ASKS_WHERE.search(exchange.message)) and bool(of_type(exchange, wanted))
    )


def holding(exchanges: Iterable[Exchange], wanted: str) -> tuple[Exchange, ...]:
    """The exchanges that the user's words make about such a thing, or else those whose answers name one."""
    shown = tuple(exchanges)
    spoken = tuple(e for e in shown if speaks_of(e, wanted))
    told = tuple(e for e in shown if any(t.type == wanted for t in e.answer_terms))
    return spoken or told or tuple(e for e in shown if of_type(e, wanted))


def pronoun_focus(reading: Reading, exchanges: Iterable[Exchange]) -> tuple[Exchange, Term] | None:
    """What "it" or "them" goes on meaning: newest exchange first, in each the thing that it leaned on, then its own."""
    pronouns = {word.lower() for mark, word in reading.marks if mark in {Mark.PRONOUN, Mark.DEMONSTRATIVE}}
    if not pronouns & (SINGULAR | PLURAL | {"that", "this"}):
        return None
    plural = bool(pronouns & PLURAL)
    best: tuple[float, Exchange, Term] | None = None
    for distance, exchange in enumerate(sorted(exchanges, key=lambda e: -e.turn)):
        for term in _centered(exchange):
            if term.type in {"place", "date", "person"} or not _agrees(term, plural, exchange):
                continue
            weight = _centrality(term, exchange) + 1.5 * (plural and in_plural(term.text)) - distance
            if best is None or weight > best[0]:
                best = (weight, exchange, term)
    return best[1:] if best else None


def _agrees(term: Term, plural: bool, exchange: Exchange) -> bool:
    """ "They" also goes on from "a gift card", said of gift cards at large."""
    if term.name or in_plural(term.text) == plural:
        return True
    article = rf"(?<!\w)an?\s+{re.escape(term.text)}(?!\w)"
    return plural and any(
        re.search(article, said, re.IGNORECASE) for said in (exchange.message, exchange.query)
    )


def _centrality(term: Term, exchange: Exchange) -> float:
    """How much a turn was about a thing: named, described in several words, leaned on, spoken of in the answer."""
    head = term.key.split()[-1]
    return (
        2.0 * (term.name or _has_name(term))
        + 0.5 * (" " in term.key)
        + 1.0 * (term in exchange.inherited)
        + 0.5 * contains_key(key_of(exchange.answer), head)
    )


def _has_name(term: Term) -> bool:
    return any(word[:1].isupper() for word in term.text.split()[:-1]) or term.text[:1].isupper()


def _centered(exchange: Exchange) -> tuple[Term, ...]:
    """Longest phrases only, what the turn itself referred to first."""
    terms = (*exchange.inherited, *exchange.terms) if exchange.anchor else exchange.terms
    return tuple(t for t in terms if not any(t.key != u.key and f" {t.key} " in f" {u.key} " for u in terms))


def _in_order(exchange: Exchange) -> tuple[Term, ...]:
    """The answer's terms in reading order."""
    text = exchange.answer.lower()
    return tuple(
        sorted(
            exchange.answer_terms, key=lambda t: (text.find(t.text.lower()) < 0, text.find(t.text.lower()))
        )
    )
