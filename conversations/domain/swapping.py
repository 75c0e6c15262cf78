"""Understands an ellipsis as the earlier question with one thing changed: "and for Dublin?", "a lamp instead", "no, Friday".

The new thing takes the place of the one thing that it is parallel to; where there is no such thing nothing is swapped.
A correction that says what it takes back is understood the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from conversations.domain.marks import Mark
from conversations.domain.parallels import (
    NAMED,
    RIVALLING,
    asks_on,
    determiners,
    is_bare_name,
    negated,
    token_of,
)
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange, Term
from conversations.domain.words import contains_key, key_of


@dataclass(frozen=True, slots=True)
class Swap:
    """An ellipsis understood: the earlier question with the new entity in the place of the old one."""

    query: str
    old: Term
    new: Term


_ELLIPTIC = re.compile(
    r"^(?:(?:and|but|or|so|ok(?:ay)?|now|then|also|no|sorry|oops|actually|hm+)[\s,]+)*(?:(?:i\s+mean(?:t)?|i\s+should\s+have\s+(?:said|written|asked)|i\s+need|i\s+want|make\s+(?:that|it)|wait)[\s,]+)*(?:(?:what|how)\s+(?:about|is\s+it)|(?:the\s+)?same\s+(?:question\s+|thing\s+|again\s+)?(?=for|in|with)|(?:and\s+|what\s+)?if\s+it\s+(?:was|were|is|had\s+been)|what\s+if\s+(?:it'?s|it\s+is|i'?m|i\s+am|we'?re))?\s*"
    r"(?P<prep>for|in|on|with|to|from|at|of|during|by|under)?\s*(?:the|a|an|my|our|your)?\s*(?P<rest>[^?!,;]{1,60}?)(?:\s+(?:instead|then|too|though|please|pls|as\s+well|of\s+course))*\s*[?.!]*$",
    re.IGNORECASE,
)


def swap(
    reading: Reading, antecedent: Exchange, lists: Iterable[Exchange] = (), one: Term | None = None
) -> Swap | None:
    """ "And for Dublin?" after "What's the RPO for Frankfurt?" → "What's the RPO for Dublin?", else None.

    The old entity must be of the same type, or a phrase with the same head noun or after the same preposition.
    `one` is what "the blue one" stands for.
    """
    found = _contrast(reading, antecedent, tuple(lists), one)
    if found is None:
        return None
    old, new = found
    pattern = re.compile(rf"(?:(?<!\w)(?P<article>an?)\s+)?(?<!\w){re.escape(old.text)}(?!\w)", re.IGNORECASE)
    return Swap(pattern.sub(lambda match: _with_article(match, new), antecedent.query, count=1), old, new)


def _with_article(match: re.Match[str], new: Term) -> str:
    if not match.group("article"):
        return new.text
    return f"{'an' if new.text[:1].lower() in 'aeiou' else 'a'} {new.text}"


def _contrast(
    reading: Reading, antecedent: Exchange, lists: tuple[Exchange, ...], one: Term | None
) -> tuple[Term, Term] | None:
    if one is not None:
        old = next((t for t in _standing(antecedent, one) if _same_head(t, one)), None)
        old = old or _same_head_in(antecedent.query, one)
        return (old, one) if old and reading.has(Mark.VERBLESS) else None
    if not reading.has(Mark.ELLIPSIS, Mark.VERBLESS, Mark.CORRECTION, Mark.CONTINUES, Mark.SHORT):
        return None
    taken_back = negated(reading)
    if taken_back:
        return _taken_back(reading, antecedent, taken_back)
    new, preposition = _focus(reading)
    if new is None:
        return None
    old = (
        _sibling(reading, new, antecedent, lists)
        or _versioned(new, antecedent)
        or (_same_head_in(antecedent.query, new) if " " in new.key else None)
        or _replaceable(reading, new, preposition, antecedent)
    )
    return (old, new) if old else None


def _taken_back(reading: Reading, antecedent: Exchange, keys: frozenset[str]) -> tuple[Term, Term] | None:
    """ "To a shelf, not to a drawer": the earlier drawer gives way to the shelf. None when a question follows."""
    fresh = [t for t in reading.terms if t.key not in keys and t.key not in _APOLOGIES]
    new = next((t for t in fresh if t.name), next(iter(fresh), None))
    old = next((t for t in _standing(antecedent, new) if t.key in keys), None)
    return (old, new) if old and new and not asks_on(reading) else None


_APOLOGIES = frozenset({"mistake", "error", "typo", "bad", "fault", "course"})


def _focus(reading: Reading) -> tuple[Term | None, str | None]:
    """The new entity of an elliptic message and the preposition before it."""
    match = _ELLIPTIC.match(reading.core.strip())
    if match:
        rest = key_of(match.group("rest"))
        exact = next((term for term in reading.terms if term.key == rest), None)
        if exact is not None:
            return exact, match.group("prep")
        versioned = next(
            (t for t in reading.terms if re.fullmatch(rf"{re.escape(t.key)}( \d+)+", rest)), None
        )
        if versioned is not None:
            return Term(match.group("rest").strip(" ."), rest, versioned.type, True), match.group("prep")
        if _NAMED_THING.search(reading.core) and 2 <= len(rest.split()) <= 4:
            return Term(match.group("rest").strip(" ."), rest), match.group("prep")
    if reading.has(Mark.CORRECTION) and reading.terms and is_bare_name(reading.terms[0], reading):
        return reading.terms[0], None
    return None, None


_NAMED_THING = re.compile(r"\b(?:the|a|an|my|our)\s+(?:[\w'’-]+\s+){1,3}[\w'’-]+[\s?.!]*$", re.IGNORECASE)


def _same_head_in(query: str, new: Term) -> Term | None:
    """The phrase of the query that ends in the new one's head noun, where the grammar was not recognised."""
    head = new.text.split()[-1]
    match = re.search(
        rf"(?<!\w)(?:the|a|an|my|our|your)\s+(?P<old>(?:[\w'’-]+\s+){{1,2}}{re.escape(head)})(?!\w)",
        query,
        re.IGNORECASE,
    )
    if match is None or key_of(match.group("old")) == new.key:
        return None
    return Term(match.group("old"), key_of(match.group("old")), new.type)


def _standing(antecedent: Exchange, new: Term | None) -> list[Term]:
    """The antecedent's terms that stand in its query as they are written, the new one aside."""
    held = (*antecedent.terms, *antecedent.inherited)
    return [t for t in held if (new is None or t.key != new.key) and _stands_in(t.text, antecedent.query)]


def _sibling(reading: Reading, new: Term, antecedent: Exchange, lists: tuple[Exchange, ...]) -> Term | None:
    """The other item of the same list that the earlier question was about."""
    items = [i for e in lists if any(i.key == new.key for i in e.items) for i in e.items if i.key != new.key]
    found = [item for item in items if contains_key(key_of(antecedent.message), item.key)]
    return found[0] if len(found) == 1 and _stands_in(found[0].text, antecedent.query) else None


_VERSION = re.compile(r"(?<![\w-])[A-Za-z][\w-]*\s\d+(?:\.\d+)*(?![\w%])")


def _versioned(new: Term, antecedent: Exchange) -> Term | None:
    """ "Same for Python 3.13?" after a question about PHP 8: a name with its version for another."""
    match = _VERSION.search(antecedent.query) if _VERSION.fullmatch(new.text) else None
    return Term(match.group(), key_of(match.group()), new.type, True) if match else None


def _replaceable(reading: Reading, new: Term, preposition: str | None, antecedent: Exchange) -> Term | None:
    """The one term of the earlier query whose place the new one takes."""
    query, own = antecedent.query, _standing(antecedent, new)
    if new.type != "place" and is_bare_name(new, reading):
        places = [term for term in own if term.type == "place"]
        if len(places) == 1:
            return places[0]
    for same in (
        [term for term in own if _same_head(term, new) and len(term.key.split()) > 1],
        [term for term in own if _same_head(term, new) or term.type == new.type != "topic"],
        [
            t
            for t in own
            if preposition and _stands_in(t.text, query, preposition) and _swappable(t, new, query)
        ],
        _located(new, reading, own, query),
        [term for term in own if new.name and term.name and {term.type, new.type} <= NAMED],
    ):
        if len(same) == 1:
            return same[0]
    return _of_its_kind(reading, new, [term for term in own if term.type == "topic"], query)


_WHERE = ("in", "to", "at", "from")


def _located(new: Term, reading: Reading, own: list[Term], query: str) -> list[Term]:
    if new.type != "place" and not is_bare_name(new, reading):
        return []
    return [
        t for t in own if " " not in t.key and any(_stands_in(t.text, query, p, bare=True) for p in _WHERE)
    ]


def _of_its_kind(reading: Reading, new: Term, things: list[Term], query: str) -> Term | None:
    """ "Shoes", "a lamp", "cardiology": a thing in the same grammatical shape, never "the price" of the same thing."""
    token = token_of(new, reading)
    if token is None or token.pos != "NOUN" or not things:
        return None
    articles = determiners(token, reading)
    if articles & {"a", "an"}:
        return next((t for t in reversed(things) if _stands_in(t.text, query, r"an?")), things[-1])
    if articles:
        return None
    if token.tag == "NNS":
        plural = [t for t in things if _plural(t) and _stands_in(t.text, query, r"(?!the\b|my\b|your\b)\w+")]
        return plural[-1] if plural else things[-1]
    bare = [
        t
        for t in things
        if any(_stands_in(t.text, query, p, bare=True) for p in (*_WHERE, "for", "on", "of", "with"))
    ]
    return bare[-1] if bare and not _plural(bare[-1]) else None


def _plural(term: Term) -> bool:
    last = term.text.lower().split()[-1:]
    return bool(last) and last[0] != term.key.split()[-1]


def _same_head(left: Term, right: Term) -> bool:
    return left.key.split()[-1:] == right.key.split()[-1:]


def _swappable(left: Term, right: Term, query: str) -> bool:
    """Names of places and dates only give way to their like; anything else after the same preposition may."""
    return left.type == right.type or not {left.type, right.type} & RIVALLING


def _stands_in(text: str, query: str, before: str = "", bare: bool = False) -> bool:
    """Whether the words stand in the query, after `before` (a pattern) and, unless `bare`, an optional article."""
    article = "" if bare else r"(?:(?:the|a|an|my|our)\s+)?"
    lead = rf"(?<!\w)(?:{before})\s+{article}" if before else r"(?<!\w)"
    return bool(re.search(rf"{lead}{re.escape(text)}(?!\w)(?!\s+\d)", query, re.IGNORECASE))
