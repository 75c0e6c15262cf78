"""Finds what a reference points at: list items by their number, the swapped slot of an ellipsis, the words that lack.

Nothing closed is ever returned; a closed name stays out even when the chosen exchange is full of it.
All functions read the scope and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from conversations.domain.marks import Mark
from conversations.domain.reading import Reading
from conversations.domain.scope import Scope
from conversations.domain.state import Exchange, Term
from conversations.domain.words import contains_key, key_of


def closed_keys(scope: Scope, reading: Reading) -> frozenset[str]:
    """Keys of entities that are closed, not open under another slot, and not named by the message itself."""
    alive = {key_of(slot.name) for slot in scope.slots if slot.open}
    keys = {key_of(name) for slot in scope.closed for name in (slot.name, *slot.aliases)}
    return frozenset(k for k in keys if k and k not in alive and not contains_key(reading.text_key, k))


def lacking(
    terms: Iterable[Term], reading: Reading, have: Iterable[Term], closed: frozenset[str]
) -> tuple[Term, ...]:
    """The terms that neither the message nor `have` says already, closed ones left out."""
    said = [reading.text_key, *(term.key for term in have)]
    kept: list[Term] = []
    for term in terms:
        words = set(term.key.split())
        if any(contains_key(term.key, key) for key in closed):
            continue
        if any(words <= set(text.split()) for text in said):
            continue
        said.append(term.key)
        kept.append(term)
    return tuple(kept)


def plain_offers(exchange: Exchange) -> tuple[Term, ...]:
    """The answer's terms without facts, and without places or dates of which it named several: none is meant."""
    kinds = [term.type for term in exchange.answer_terms]
    crowded = {kind for kind in ONE_AT_A_TIME if kinds.count(kind) > 1}
    return tuple(term for term in exchange.answer_terms if term.type not in crowded and term.type != "date")


def picked(reading: Reading, scope: Scope) -> tuple[Term, ...]:
    """The list items that "the second one" or "option 3" pick, from the nearest list in scope."""
    if not reading.ordinals:
        return ()
    for exchange in _lists(scope):
        found = [_item(exchange.items, number) for number in reading.ordinals]
        items = tuple(item for item in found if item is not None)
        if items:
            return items
    return ()


def _lists(scope: Scope) -> tuple[Exchange, ...]:
    later = sorted((e for e in scope.exchanges if e.items), key=lambda e: -e.turn)
    first = scope.antecedent
    return (*((first,) if first and first.items else ()), *later)


def _item(items: tuple[Term, ...], number: int) -> Term | None:
    if number == -1:
        return items[-1]
    return items[number - 1] if 0 < number <= len(items) else None


RIVALLING = frozenset({"place", "date", "person"})
ONE_AT_A_TIME = frozenset({"place", "date"})


@dataclass(frozen=True, slots=True)
class Swap:
    """An ellipsis understood: the earlier question with the new entity in the place of the old one."""

    query: str
    old: Term
    new: Term


_ELLIPTIC = re.compile(
    r"^(?:(?:and|but|or|so|ok(?:ay)?|now|then|also|no|sorry|actually|hm+)[\s,]+)*(?:(?:i\s+mean(?:t)?|i\s+should\s+have\s+(?:said|written|asked)|i\s+need|i\s+want|make\s+that|wait)[\s,]+)*(?:(?:what|how)\s+(?:about|is\s+it)|(?:the\s+)?same\s+(?:question\s+|thing\s+|again\s+)?(?=for|in|with)|what\s+if\s+it\s+(?:was|were)|and\s+if\s+it\s+(?:was|were)|what\s+if\s+(?:it'?s|it\s+is|i'?m|i\s+am|we'?re))?\s*"
    r"(?P<prep>for|in|on|with|to|from|at|of|during|by|under)?\s*(?:the|a|an|my|our|your)?\s*(?P<rest>[^?.!,;]{1,60}?)(?:\s+(?:instead|then|too|though|please|pls|as\s+well))*\s*[?.!]*$",
    re.IGNORECASE,
)


def swap(reading: Reading, antecedent: Exchange) -> Swap | None:
    """ "And for Dublin?" after "What's the RPO for Frankfurt?" → "What's the RPO for Dublin?", else None.

    The old entity must be of the same type, or a phrase with the same head noun or after the same preposition.
    """
    match = _ELLIPTIC.match(reading.core.strip())
    if not match or not reading.has(Mark.ELLIPSIS, Mark.VERBLESS, Mark.CORRECTION):
        return None
    rest = key_of(match.group("rest"))
    new = next((term for term in reading.terms if term.key == rest), None)
    if new is None:
        return None
    old = _replaceable(reading, new, match.group("prep"), antecedent)
    if old is None:
        return None
    pattern = re.compile(rf"(?<!\w){re.escape(old.text)}(?!\w)", re.IGNORECASE)
    return Swap(pattern.sub(lambda _: new.text, antecedent.query, count=1), old, new)


COMPARES = re.compile(
    r"\b(?:compar\w+|versus|vs\.?|than|between|differen\w+|both|either|as well as|difference|cheaper|faster|better)\b",
    re.IGNORECASE,
)


def rivals(reading: Reading, antecedent: Exchange) -> frozenset[str]:
    """Keys of the antecedent's names whose place a name of the message takes: "does Madrid have it?" after Warsaw.

    A message that compares has no rivals, and a name that it says itself is none.
    """
    if COMPARES.search(reading.core):
        return frozenset()
    kinds = {term.type for term in reading.terms if term.type in RIVALLING}
    if _bare_name(reading):
        kinds |= {"place"}
    own = (*antecedent.terms, *antecedent.inherited, *antecedent.answer_terms)
    return frozenset(t.key for t in own if t.type in kinds and not contains_key(reading.text_key, t.key))


def _bare_name(reading: Reading) -> bool:
    """ "what about stockholm then": one noun in the singular without an article is as good as a name."""
    if not reading.has(Mark.ELLIPSIS, Mark.CORRECTION) or len(reading.terms) != 1:
        return False
    key = reading.terms[0].key
    token = next((t for t in reading.analysis.tokens if key_of(t.text) == key), None)
    if token is None or token.tag not in {"NN", "NNP", "JJ"}:
        return False
    position = reading.analysis.tokens.index(token)
    return not any(t.head == position and t.pos in {"DET", "PRON"} for t in reading.analysis.tokens)


def negated(reading: Reading) -> frozenset[str]:
    """Keys of what a correction takes back: "dublin, not zurich"."""
    found = (match.group("wrong") for match in _NEGATED.finditer(reading.core))
    return frozenset(
        term.key for wrong in found for term in reading.terms if contains_key(key_of(wrong), term.key)
    )


_NEGATED = re.compile(
    r"\bnot\s+(?:(?:for|in|to|the|a|an)\s+)*(?P<wrong>[\w.'’-]+(?:\s+[\w.'’-]+)?)", re.IGNORECASE
)


def _replaceable(reading: Reading, new: Term, preposition: str | None, antecedent: Exchange) -> Term | None:
    """The one term of the earlier query whose place the new one takes."""
    query = antecedent.query
    own = [
        t
        for t in (*antecedent.terms, *antecedent.inherited)
        if t.key != new.key and _stands_in(t.text, query)
    ]
    if new.type != "place" and _bare_name(reading):
        places = [term for term in own if term.type == "place"]
        if len(places) == 1:
            return places[0]
    typed = [term for term in own if _same_head(term, new) or term.type == new.type != "topic"]
    if len(typed) == 1:
        return typed[0]
    led = [
        term
        for term in own
        if preposition and _stands_in(term.text, query, preposition) and _swappable(term, new)
    ]
    if len(led) == 1:
        return led[0]
    located = [
        term for term in own if " " not in term.key and any(_stands_in(term.text, query, p) for p in _WHERE)
    ]
    if len(located) == 1 and (new.type == "place" or _bare_name(reading)):
        return located[0]
    things = [term for term in own if term.type == "topic"]
    return things[-1] if things and _is_kind(reading, new) else None


_WHERE = ("in", "to", "at", "from")


def _is_kind(reading: Reading, new: Term) -> bool:
    """ "Shoes", "a lamp": a kind of thing, which takes another's place; "the price" asks about the same thing."""
    tokens = reading.analysis.tokens
    index = next((i for i, token in enumerate(tokens) if key_of(token.text) == new.key), None)
    if index is None or tokens[index].pos != "NOUN":
        return False
    determiners = {t.lower for t in tokens if t.head == index and t.pos in {"DET", "PRON"}}
    return (tokens[index].tag == "NNS" and not determiners) or bool(determiners & {"a", "an"})


def _same_head(left: Term, right: Term) -> bool:
    return left.key.split()[-1:] == right.key.split()[-1:]


def _swappable(left: Term, right: Term) -> bool:
    """Names of places and dates only give way to their like; anything else after the same preposition may."""
    fixed = {"place", "date", "person"}
    return left.type == right.type or not {left.type, right.type} & fixed


def _stands_in(text: str, query: str, preposition: str = "") -> bool:
    lead = (
        rf"(?<!\w){re.escape(preposition)}\s+(?:the\s+|a\s+|an\s+|my\s+|our\s+)?"
        if preposition
        else r"(?<!\w)"
    )
    return bool(re.search(rf"{lead}{re.escape(text)}(?!\w)", query, re.IGNORECASE))
