"""Understands an ellipsis as the earlier question with one thing changed: "and for Dublin?", "a lamp instead", "no, Friday".

The new thing takes the place of the one thing that it is parallel to; where there is no such thing nothing is swapped.
A correction that says what it takes back is understood the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from conversations.domain.frames import brings_another, framed, is_frame
from conversations.domain.language import Token
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
from conversations.domain.words import ONES, contains_key, key_of


@dataclass(frozen=True, slots=True)
class Swap:
    """An ellipsis understood: the earlier question with the new entity in the place of the old one."""

    query: str
    old: Term
    new: Term


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
    old, new = found[0], _with_head(found[1], found[0])
    pattern = re.compile(rf"(?:(?<!\w)(?P<article>an?)\s+)?(?<!\w){re.escape(old.text)}(?!\w)", re.IGNORECASE)
    return Swap(pattern.sub(lambda match: _with_article(match, new), antecedent.query, count=1), old, new)


def _with_head(new: Term, old: Term) -> Term:
    """ "Extreme one" in the place of "Fast volume" is an "Extreme volume", "Gold" in that of "Silver tariff" a "Gold tariff"."""
    said, held = new.text.split(), old.text.split()
    if said[-1].lower() in ONES and len(said) > 1 and len(held) > 1:
        text = " ".join((*said[:-1], held[-1]))
        return Term(text, key_of(text), new.type, new.name)
    names = next((i for i, word in enumerate(held) if not word[:1].isupper()), len(held))
    if not 0 < names < len(held) or not all(word[:1].isupper() for word in said) or new.type in RIVALLING:
        return new
    return Term(f"{new.text} {' '.join(held[names:])}", new.key, new.type, new.name)


def _with_article(match: re.Match[str], new: Term) -> str:
    if not match.group("article"):
        return new.text
    if _plural(new):
        return new.text
    return f"{'an' if new.text[:1].lower() in 'aeiou' else 'a'} {new.text}"


def _contrast(
    reading: Reading, antecedent: Exchange, lists: tuple[Exchange, ...], one: Term | None
) -> tuple[Term, Term] | None:
    if one is not None:
        old = next((t for t in _standing(antecedent, one) if _same_head(t, one)), None)
        old = old or _same_head_in(antecedent.query, one)
        return (old, one) if old and reading.has(Mark.VERBLESS) else None
    marked = reading.has(Mark.ELLIPSIS, Mark.VERBLESS, Mark.CORRECTION, Mark.CONTINUES, Mark.SHORT)
    if not marked and not is_frame(reading):
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
    standing = _standing(antecedent, new)
    old = next((t for t in standing if t.key in keys), None) or next(
        (t for t in standing if any(t.key.startswith(f"{key} ") for key in keys)), None
    )
    return (old, new) if old and new and not asks_on(reading) else None


def _plainly(key: str) -> str:
    """The key of a phrase without the "pls" that the parser took for a part of it."""
    return " ".join(word for word in key.split() if word not in {"please", "pls", "plz", "thx", "thank"})


_APOLOGIES = frozenset({"mistake", "error", "typo", "bad", "fault", "course", "wrong"})


def _focus(reading: Reading) -> tuple[Term | None, str | None]:
    """The new entity of an elliptic message and the preposition before it."""
    match = framed(reading)
    if match:
        rest = key_of(match.group("rest"))
        exact = next((term for term in reading.terms if term.key == rest), None)
        polite = next((term for term in reading.terms if _plainly(term.key) == rest), None)
        if exact is not None:
            return exact, match.group("prep")
        if polite is not None:
            return Term(match.group("rest").strip(" ."), rest, polite.type, polite.name), match.group("prep")
        if not reading.terms and reading.has(Mark.CORRECTION) and 1 <= len(rest.split()) <= 3:
            return Term(match.group("rest").strip(" ."), rest), match.group("prep")
        versioned = next(
            (t for t in reading.terms if re.fullmatch(rf"{re.escape(t.key)}( \d+)+", rest)), None
        )
        if versioned is not None:
            return Term(match.group("rest").strip(" ."), rest, versioned.type, True), match.group("prep")
        if _NAMED_THING.search(reading.core) and 2 <= len(rest.split()) <= 4:
            return Term(match.group("rest").strip(" ."), rest), match.group("prep")
    if reading.has(Mark.CORRECTION) and not reading.has(Mark.ONES) and not asks_on(reading):
        fresh = [
            t for t in reading.terms if not set(t.key.split()) & _APOLOGIES and not _is_wrong(t, reading)
        ]
        return (fresh[0] if len(fresh) == 1 or (fresh and is_bare_name(fresh[0], reading)) else None), None
    return None, None


def _is_wrong(term: Term, reading: Reading) -> bool:
    """ "Wrong department, I wanted …": the word says what kind of thing is meant, not which."""
    return bool(re.search(rf"\bwrong\s+{re.escape(term.text)}(?!\w)", reading.core, re.IGNORECASE))


def given_way(reading: Reading, antecedent: Exchange) -> frozenset[str]:
    """Keys of the things that a thing of the message may stand for where it is not clear which: none may ride along.

    What the last question wanted to know of them stays, and so do its places and dates.
    """
    new = next(iter(reading.terms), None)
    token = token_of(new, reading) if new and brings_another(reading) else None
    if new is None or token is None or not (new.name or _is_of_a_kind(new, token, reading)):
        return frozenset()
    held = [t for t in (*antecedent.terms, *antecedent.inherited) if t.type not in RIVALLING]
    return frozenset(t.key for t in held if not _asked_of(t, held, antecedent.query))


def _is_of_a_kind(new: Term, token: Token, reading: Reading) -> bool:
    """ "Lamps", "a lamp", "the small lamp" stand beside other things; "the price" is the price of the same thing."""
    articles = determiners(token, reading)
    return token.tag == "NNS" or bool(articles & {"a", "an"}) or (bool(articles) and " " in new.key)


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
    # A name for a name after the same preposition, whatever kinds of name the language library sees in them.
    alike = [t for t in own if new.name and t.name and preposition and _stands_in(t.text, query, preposition)]
    if len(alike) == 1 and "date" not in {alike[0].type, new.type}:
        return alike[0]
    if new.type not in RIVALLING and is_bare_name(new, reading) and preposition in {None, "", "for", *_WHERE}:
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
    if new.type in RIVALLING:
        return None
    modified = [t for t in own if _of_a_name(t) and t.type not in RIVALLING]
    if (_of_a_name(new) or new.name) and len(modified) == 1:
        return modified[0]
    bare = reading.has(Mark.ELLIPSIS) and _is_bare(new, reading)
    asks_alike = bare or is_frame(reading)
    governed = [
        t
        for t in own
        if any(_stands_in(t.text, query, p) for p in _GOVERNING)
        and (_swappable(t, new, query) or (bare and t.type == "place"))
    ]
    if preposition and asks_alike and len(governed) == 1:
        return governed[0]
    return _of_its_kind(reading, new, [term for term in own if term.type not in RIVALLING], query)


def _is_bare(term: Term, reading: Reading) -> bool:
    """ "Same for cardiff": one word without an article, which may well be a name in small letters."""
    token = token_of(term, reading)
    return (
        token is not None and token.tag != "NNS" and " " not in term.key and not determiners(token, reading)
    )


_GOVERNING = ("for", "on", "of", "with", "in", "at", "to")


def _of_a_name(term: Term) -> bool:
    """ "Polar heater": a thing with a proper name of its own before it."""
    return any(word[:1].isupper() for word in term.text.split()[:-1])


_WHERE = ("in", "to", "at", "from")


def _located(new: Term, reading: Reading, own: list[Term], query: str) -> list[Term]:
    if new.type != "place" and (new.type in RIVALLING or not is_bare_name(new, reading)):
        return []
    return [
        t for t in own if " " not in t.key and any(_stands_in(t.text, query, p, bare=True) for p in _WHERE)
    ]


def _of_its_kind(reading: Reading, new: Term, things: list[Term], query: str) -> Term | None:
    """ "Shoes", "a lamp", "cardiology": a thing in the same grammatical shape, never "the price" of the same thing."""
    token = token_of(new, reading)
    if token is None and re.search(rf"\ban?\s+{re.escape(new.text)}\b", reading.core, re.IGNORECASE):
        return next((t for t in reversed(things) if _stands_in(t.text, query, r"an?")), None)
    if token is None or token.pos not in {"NOUN", "PROPN"} or not things:
        return None
    articles = determiners(token, reading)
    asked = [t for t in things if _asked_of(t, things, query)]
    entities = [t for t in things if t not in asked]
    alone = entities[0] if len(entities) == 1 and not (articles and reading.has(Mark.CORRECTION)) else None
    if articles & {"a", "an"}:
        return next((t for t in reversed(entities) if _stands_in(t.text, query, r"an?")), alone)
    if token.pos == "PROPN":
        return alone
    if articles:
        return None
    if token.tag == "NNS":
        plural = [
            t for t in entities if _plural(t) and _stands_in(t.text, query, r"(?!the\b|my\b|your\b)\w+")
        ]
        return plural[-1] if plural else alone
    bare = [
        t
        for t in things
        if any(_stands_in(t.text, query, p, bare=True) for p in (*_WHERE, "for", "on", "of", "with"))
    ]
    return bare[-1] if bare and not _plural(bare[-1]) else None


def _asked_of(term: Term, things: list[Term], query: str) -> bool:
    """Whether a thing is what the question wants to know of another: "which sizes", "the warranty on the fan"."""
    if _stands_in(term.text, query, r"(?:which|what(?:['’]s)?|whose|how\s+(?:many|much))(?:\s+\w+)?"):
        return True
    return any(
        _stands_in(other.text, query, rf"{re.escape(term.text)}\s+(?:of|on|for|in|with)")
        for other in things
        if other is not term
    )


def _plural(term: Term) -> bool:
    last = term.text.lower().split()[-1:]
    return bool(last) and last[0] != term.key.split()[-1]


def _same_head(left: Term, right: Term) -> bool:
    return left.key.split()[-1:] == right.key.split()[-1:]


def _swappable(left: Term, right: Term, query: str) -> bool:
    """Names of places and dates only give way to their like; anything else after the same preposition may."""
    dated = left.type == "date" and right.type == "topic"
    return dated or left.type == right.type or not {left.type, right.type} & RIVALLING


def _stands_in(text: str, query: str, before: str = "", bare: bool = False) -> bool:
    """Whether the words stand in the query, after `before` (a pattern) and, unless `bare`, an optional article."""
    article = "" if bare else r"(?:(?:the|a|an|my|our)\s+)?"
    lead = rf"(?<!\w)(?:{before})\s+{article}" if before else r"(?<!\w)"
    return bool(re.search(rf"{lead}{re.escape(text)}(?!\w)(?!\s+\d)", query, re.IGNORECASE))
