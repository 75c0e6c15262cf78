"""Finds what a reference points at: list items by their number, "the blue one" by its colour, the words that lack.

Nothing closed is ever returned; a closed name stays out even when the chosen exchange is full of it.
All functions read the scope and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from conversations.domain.liveness import Slot, Status
from conversations.domain.marks import MIDDLE
from conversations.domain.offers import list_meant
from conversations.domain.prices import picked_by_price
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange, Term
from conversations.domain.vocabulary import words
from conversations.domain.words import STOP, contains_key, key_of

if TYPE_CHECKING:
    from conversations.domain.scope import Scope


def closed_keys(scope: Scope, reading: Reading) -> frozenset[str]:
    """Keys of entities that are closed, not open under another slot, and not named by the message itself."""
    keys = {key_of(name) for name, _ in closed_names(scope)}
    return frozenset(k for k in keys if k and not contains_key(reading.text_key, k))


def closed_names(scope: Scope) -> Iterator[tuple[str, Slot]]:
    """The names of closed entities that are not open under another slot.

    Nor is a name closed that is part of one the user still means: the "Regulation" of the "Noise Regulation".
    """
    alive = {key_of(slot.name) for slot in scope.slots}
    meant = {key_of(slot.name) for slot in scope.slots if slot.status in {Status.LIVE, Status.STALE}}
    for slot in scope.closed:
        for name in (slot.name, *slot.aliases):
            key = key_of(name)
            if key not in alive and not any(contains_key(longer, key) for longer in meant):
                yield name, slot


def lacking(
    terms: Iterable[Term], reading: Reading, have: Iterable[Term], closed: frozenset[str]
) -> tuple[Term, ...]:
    """The terms that neither the message nor `have` says already, closed ones left out."""
    said = [reading.text_key, *(term.key for term in have)]
    kept: list[Term] = []
    for term in terms:
        own = set(term.key.split())
        if any(contains_key(term.key, key) for key in closed):
            continue
        if any(own <= set(text.split()) for text in said):
            continue
        said.append(term.key)
        kept.append(term)
    return tuple(kept)


def plain_offers(exchange: Exchange) -> tuple[Term, ...]:
    """The answer's terms without facts, and without places or dates of which it named several: none is meant."""
    kinds = [term.type for term in exchange.answer_terms]
    crowded = {kind for kind in ONE_AT_A_TIME if kinds.count(kind) > 1}
    plain = [
        t for t in exchange.answer_terms if t.type not in {*crowded, "date"} and not _named_after(t, exchange)
    ]
    return tuple(sorted(plain, key=lambda term: term not in fuller_names(exchange)))


def _named_after(term: Term, exchange: Exchange) -> bool:
    """ "Leeds Market" is no fuller name of the Leeds that the user means; "travel allowance" is one of an allowance."""
    named = (t for t in (*exchange.terms, *exchange.inherited) if t.name)
    proper = all(word[:1].isupper() for word in term.text.split())
    return proper and any(t.key != term.key and contains_key(term.key, t.key) for t in named)


def fuller_names(exchange: Exchange) -> tuple[Term, ...]:
    """What the answer calls by its whole name and the user by one word: "travel allowance" for "the allowance".

    Of a word that the answer tells several kinds of, none is meant.
    """
    called = {term.key for term in exchange.terms if " " not in term.key}
    longer = [t for t in exchange.answer_terms if " " in t.key and t.key.split()[-1] in called]
    heads = [term.key.split()[-1] for term in longer]
    return tuple(term for term, head in zip(longer, heads, strict=True) if heads.count(head) == 1)


def picked(reading: Reading, scope: Scope) -> tuple[Term, ...]:
    """What "the second one" or "option 3" picks from the list that is meant, or "the cheaper one" by its price."""
    exchanges = (*scope.exchanges, *((scope.antecedent,) if scope.antecedent else ()))
    if not reading.ordinals:
        chosen = picked_by_price(reading, exchanges)
        return (chosen[1],) if chosen else ()
    meant = list_meant(exchanges)
    found = [_item(meant.items, number) for number in reading.ordinals] if meant else []
    return tuple(item for item in found if item is not None)


def _item(items: tuple[Term, ...], number: int) -> Term | None:
    if number == MIDDLE:
        return items[len(items) // 2] if len(items) % 2 else None
    if number < 0:
        return items[number] if -number <= len(items) else None
    return items[number - 1] if 0 < number <= len(items) else None


ONE_AT_A_TIME = frozenset({"place", "date"})
_MODIFIED_ONE = re.compile(r"(?<![\w-])(?P<words>(?:[\w'’-]+\s+){1,3})ones?(?![\w-])", re.IGNORECASE)
_NO_MODIFIER = words(
    """
    the a an this that these those which what and or but for of in on with to is are was were any no every each
    other another same only new right wrong next last latter former first second third fourth fifth sixth
    my your our their very does do can about took take chose choose pick picked use used buy bought need want have has
    """
)


def meant_by_one(reading: Reading, exchanges: Iterable[Exchange]) -> Term | None:
    """What "the blue one" stands for: the latest thing said whose first words are "blue". None where there is none."""
    modifier = one_modifier(reading)
    if not modifier:
        return None
    for exchange in sorted(exchanges, key=lambda e: -e.turn):
        held = (*exchange.terms, *exchange.inherited, *exchange.items, *exchange.answer_terms)
        for term in held:
            if term.key.startswith(f"{modifier} "):
                return term
        phrase = _phrase_after(modifier, exchange.query)
        if phrase is not None:
            return phrase
    return None


def _phrase_after(modifier: str, query: str) -> Term | None:
    """ "Loans report" for "loans" in a question whose grammar was not recognised."""
    for match in re.finditer(
        r"(?<!\w)(?:the|a|an|my|our|your)\s+([\w'’-]+\s+[\w'’-]+)", query, re.IGNORECASE
    ):
        if key_of(match.group(1)).startswith(f"{modifier} "):
            return Term(match.group(1), key_of(match.group(1)))
    return None


def says_modifier(reading: Reading, exchange: Exchange) -> bool:
    """Whether the exchange said "blue" itself, so that "the blue one" is one of its own things and of no other's."""
    return set(one_modifier(reading).split()) <= {*exchange.words, *key_of(exchange.message).split()}


def one_modifier(reading: Reading) -> str:
    """The key of "customer-managed" in "customer-managed ones", empty without any."""
    match = _MODIFIED_ONE.search(reading.core)
    if match is None:
        return ""
    kept: list[str] = []
    for word in reversed(match.group("words").split()):
        if word.lower() in _NO_MODIFIER or word.lower() in STOP:
            break
        kept.insert(0, word)
    return key_of(" ".join(kept))
