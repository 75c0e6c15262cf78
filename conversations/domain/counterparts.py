"""Finds the one thing of an earlier question that a new thing is the counterpart of, and whose place it takes.

A place for a place, a tariff for a tariff, a lamp for a sofa after the same preposition, an item of a list for its
neighbour. Where several would do, or none, there is no counterpart.
"""

from __future__ import annotations

import re

from conversations.domain.aspects import ATTRIBUTES, asked_aspect, is_acronym, is_doing
from conversations.domain.frames import is_frame, wanted
from conversations.domain.marks import Mark
from conversations.domain.parallels import NAMED, RIVALLING, determiners, is_bare_name, token_of
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange, Term
from conversations.domain.wanted import is_time
from conversations.domain.words import STOP, contains_key, in_plural, key_of

# Words of a phrase that holds a thing and its verb.
FEWEST_WITH_VERB = 2


def counterpart(
    reading: Reading, new: Term, preposition: str | None, antecedent: Exchange, lists: tuple[Exchange, ...]
) -> Term | None:
    """The thing of the antecedent's query that gives way to `new`, which follows `preposition` in the message.

    "Of shoes?" after "how long does a repair take" says more of the repair and takes nothing's place.
    """
    if preposition == "of" and not re.search(r"\bof\s+\w", antecedent.query, re.IGNORECASE):
        return None
    return (
        _sibling(reading, new, antecedent, lists)
        or _versioned(new, antecedent)
        or (same_head_in(antecedent.query, new) if " " in new.key else None)
        or _replaceable(reading, new, preposition, antecedent, lists)
    )


def thing_of(old: Term, new: Term, antecedent: Exchange) -> Term | None:
    """The whole thing that gives way: the "static IP" of an IP, and the sofa of "Sofa delivery time?".

    A question that is nothing but one noun phrase keeps what it asks; None where the thing cannot be told from that.
    """
    longer = [t for t in standing(antecedent, new) if t.key.endswith(f" {old.key}")]
    if old.type in RIVALLING:  # "vcpu quota frankfurt" is no longer name of a town, "Whitby Marina" is one
        longer = [t for t in longer if t.text.istitle()]
    if longer and not is_acronym(new.text):
        old = max(longer, key=lambda term: len(term.key))
    old = _without_verb(old, antecedent.query)
    if key_of(antecedent.query) != old.key or " " not in old.key:
        return old
    said = old.text.split()
    while said and (key_of(said[-1]) in ATTRIBUTES or is_doing(said[-1])):
        said.pop()
    text = " ".join(said)
    return Term(text, key_of(text), old.type, old.name) if 0 < len(said) < len(old.text.split()) else None


def _without_verb(old: Term, query: str) -> Term:
    """The card of "what does a card cost?", where grammar took the verb for the head of the phrase, or for the thing."""
    said = old.text.split()
    doing = re.search(
        rf"\b(?:do|does|did)\s+(?P<thing>[^\W\d_]\w*ing)\s+{re.escape(old.text)}\s*[?.!]*$",
        query,
        re.IGNORECASE,
    )
    if doing:
        return Term(doing["thing"], key_of(doing["thing"]))
    ends = re.search(
        rf"\b(?:do|does|did)\s+{_DETERMINED}{re.escape(old.text)}\s*[?.!]*$", query, re.IGNORECASE
    )
    if not ends or len(said) < FEWEST_WITH_VERB:
        return old
    text = " ".join(said[:-1])
    return Term(text, key_of(text), old.type, old.name)


_DETERMINED = r"(?:(?:the|an?|my|our|your)\s+)?"


def standing(antecedent: Exchange, new: Term | None) -> list[Term]:
    """The antecedent's terms that stand in its query as they are written, the new one aside."""
    held = [
        t for t in (*antecedent.terms, *antecedent.inherited) if new is None or is_time(t) == is_time(new)
    ]
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


def same_head_in(query: str, new: Term) -> Term | None:
    """The phrase of the query that ends in the new one's head noun, where the grammar was not recognised."""
    head = new.text.split()[-1]
    match = re.search(
        rf"(?<!\w)(?:the|a|an|my|our|your)\s+(?P<old>(?:[\w'’-]+\s+){{1,2}}{re.escape(head)})(?!\w)",
        query,
        re.IGNORECASE,
    )
    match = match or re.search(
        rf"(?<![\w-])(?P<old>[^\W\d][\w'’-]+\s+{re.escape(head)})(?!\w)", query, re.IGNORECASE
    )
    if (
        match is None
        or key_of(match.group("old")) == new.key
        or match.group("old").lower().split()[0] in STOP
    ):
        return None
    return Term(match.group("old"), key_of(match.group("old")), new.type)


def _replaceable(
    reading: Reading, new: Term, preposition: str | None, antecedent: Exchange, lists: tuple[Exchange, ...]
) -> Term | None:
    """The one term of the earlier query whose place the new one takes."""
    query, own = antecedent.query, _of_the_asker(new, antecedent.query, standing(antecedent, new))
    # A name for a name after the same preposition, whatever kinds of name the language library sees in them.
    alike = [t for t in own if new.name and t.name and preposition and _stands_in(t.text, query, preposition)]
    if len(alike) == 1 and "date" not in {alike[0].type, new.type}:
        return alike[0]
    if new.type not in RIVALLING and is_bare_name(new, reading) and preposition in {None, "", "for", *_WHERE}:
        places = [term for term in own if term.type == "place"]
        qualified = _named_kind(reading, new, own, preposition, (antecedent, *lists))
        if qualified is not None:
            return qualified
        if len(places) == 1:
            return places[0]
    priced = [t for t in own if _stands_in(t.text, query, _PRICED) and not is_doing(t.text)]
    like_it = any(preposition and _stands_in(t.text, query, preposition) for t in own)
    if wanted(reading) == "price" and len(priced) == 1 and not like_it and _swappable(priced[0], new, query):
        return priced[0]
    for same in (
        [term for term in own if same_head(term, new) and len(term.key.split()) > 1],
        [term for term in own if same_head(term, new) or term.type == new.type != "topic"],
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
    if (preposition or new.name) and asks_alike and len(governed) == 1:
        return governed[0]
    return _of_its_kind(
        reading, new, preposition, [term for term in own if term.type not in RIVALLING], query
    )


_ASKS_WHO = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?)[\s,]+)*(?:who(?:\s+else)?|which\s+(?:[\w-]+\s+)?(?:roles?|people|persons?|users?|members?))\s+(?!(?:is|are|was|were)\b)[a-z]",
    re.IGNORECASE,
)


def _of_the_asker(new: Term, query: str, own: list[Term]) -> list[Term]:
    """ "And Operator?" after "who can destroy keys?": a name takes the place of none of the things that are done to."""
    return [t for t in own if t.name or t.type in RIVALLING] if is_of_the_asker(new, query) else own


def is_of_the_asker(new: Term, query: str) -> bool:
    """Whether a name may be one of those that the question asks for: a role or a person, never a place or a day."""
    return new.name and new.type not in {"place", "date"} and bool(_ASKS_WHO.match(query))


def _named_kind(
    reading: Reading, new: Term, own: list[Term], preposition: str | None, said_in: tuple[Exchange, ...]
) -> Term | None:
    """ "No, Standard" after "the Business tier in Dublin": a tier, where nothing says that the name is a place.

    What was said before tells: "the Standard tier", "in Cork"; else what the language library takes the name for.
    """
    nouns = {t: noun for t in own if t.type not in RIVALLING and (noun := _noun_of(t, said_in[0].query))}
    named = [t for t in nouns if not any(o is not t and contains_key(o.key, t.key) for o in nouns)]
    if len(named) != 1 or preposition in _WHERE:
        return None
    told = " | ".join(f"{e.message} | {e.answer}" for e in said_in)
    noun = nouns[named[0]]
    if re.search(rf"(?<!\w){re.escape(new.text)}\s+{re.escape(noun)}", told, re.IGNORECASE):
        return named[0]
    if re.search(rf"\b(?:{'|'.join(_WHERE)})\s+{re.escape(new.text)}(?!\w)", told, re.IGNORECASE):
        return None
    taken_for = next((t.type for t in reading.terms if t.key == new.key), new.type)
    return named[0] if taken_for == "topic" and new.text[:1].isupper() else None


def _noun_of(term: Term, query: str) -> str:
    """The noun that a name qualifies: the tier of the "Business tier", also where only "Business" is known as a thing."""
    if _of_a_name(term):
        return term.text.split()[-1]
    match = re.search(rf"(?<!\w)(?:the|an?|my|our)\s+{re.escape(term.text)}\s+(?P<noun>[a-z][\w-]+)", query)
    proper = term.text[:1].isupper() and not is_acronym(term.text)
    return match["noun"] if match and proper and match["noun"] not in STOP else ""


def _is_bare(term: Term, reading: Reading) -> bool:
    """ "Same for cardiff": one word without an article, which may well be a name in small letters."""
    token = token_of(term, reading)
    return (
        token is not None and token.tag != "NNS" and " " not in term.key and not determiners(token, reading)
    )


_PRICED = r"how\s+much\s+(?:is|are|does|do|would|will|for)"
_GOVERNING = ("for", "on", "of", "with", "in", "at", "to", "by")


def _of_a_name(term: Term) -> bool:
    """ "Polar heater": a thing with a proper name of its own before it."""
    return any(word[:1].isupper() for word in term.text.split()[:-1])


_WHERE = ("in", "to", "at", "from")


def _located(new: Term, reading: Reading, own: list[Term], query: str) -> list[Term]:
    if new.type != "place" and (new.type in RIVALLING or not is_bare_name(new, reading)):
        return []
    found = [
        t
        for t in own
        if (t.name or " " not in t.key) and any(_stands_in(t.text, query, p, bare=True) for p in _WHERE)
    ]
    return [t for t in found if t.name] or found


def _of_its_kind(
    reading: Reading, new: Term, preposition: str | None, things: list[Term], query: str
) -> Term | None:
    """ "Shoes", "a lamp", "cardiology": a thing in the same grammatical shape, never "the price" of the same thing."""
    token = token_of(new, reading)
    if token is None and re.search(rf"\ban?\s+{re.escape(new.text)}\b", reading.core, re.IGNORECASE):
        return next((t for t in reversed(things) if _stands_in(t.text, query, r"an?")), None)
    if token is None or token.pos not in {"NOUN", "PROPN"} or not things:
        return None
    articles = determiners(token, reading)
    # "And a button?" after "what does a zip cost?"; "for a nursery" says whom the zip is for.
    doing = [] if preposition else [t for t in things if _stands_in(t.text, query, r"(?:do|does|did)")]
    asked = [t for t in things if t not in doing and is_asked_of(t, things, query)]
    entities = [t for t in things if t not in asked]
    alone = entities[0] if len(entities) == 1 else None
    if articles & {"a", "an"}:
        like = next((t for t in reversed(entities) if _stands_in(t.text, query, r"an?")), None)
        return like or (None if reading.has(Mark.CORRECTION) else alone)
    if token.pos == "PROPN":
        return alone
    if articles:
        return alone if reading.has(Mark.CORRECTION) else None
    many = [t for t in things if in_plural(t.text) and not t.name]
    if reading.has(Mark.CORRECTION) and in_plural(new.text) and len(many) == 1:
        return many[0]
    if token.tag == "NNS" and in_plural(new.text):
        plural = [
            t
            for t in entities
            if in_plural(t.text) and _stands_in(t.text, query, r"(?!the\b|my\b|your\b)\w+")
        ]
        return plural[-1] if plural else alone
    bare = [
        t
        for t in things
        if any(_stands_in(t.text, query, p, bare=True) for p in (*_WHERE, "for", "on", "of", "with"))
    ]
    alike = [t for t in bare if not in_plural(t.text)] if asked_aspect(query, things) else bare[-1:]
    return alike[-1] if alike and not in_plural(alike[-1].text) else None


def is_asked_of(term: Term, things: list[Term], query: str) -> bool:
    """Whether a thing is what the question wants to know of another: "which sizes", "the warranty on the fan"."""
    if _stands_in(
        term.text,
        query,
        r"(?:which|what(?:['’]s)?|whose|how\s+(?:many|much))(?:\s+(?!(?:for|of|on|in|to|with|at)\b)\w+)?",
    ):
        return True
    return any(
        _stands_in(other.text, query, rf"{re.escape(term.text)}\s+(?:of|on|for|in|with)")
        for other in things
        if other is not term
    )


def same_head(left: Term, right: Term) -> bool:
    return left.key.split()[-1:] == right.key.split()[-1:]


def _swappable(left: Term, right: Term, query: str) -> bool:
    """Names of places and dates only give way to their like; anything else after the same preposition may."""
    if (left.type == "activity") is not (right.type == "activity"):
        return False
    dated = left.type == "date" and right.type == "topic"
    return dated or left.type == right.type or not {left.type, right.type} & RIVALLING


def _stands_in(text: str, query: str, before: str = "", bare: bool = False) -> bool:
    """Whether the words stand in the query, after `before` (a pattern) and, unless `bare`, an optional article."""
    article = "" if bare else r"(?:(?:the|a|an|my|our)\s+)?"
    lead = rf"(?<!\w)(?:{before})\s+{article}" if before else r"(?<!\w)"
    return bool(re.search(rf"{lead}{re.escape(text)}(?!\w)(?!\s+\d)", query, re.IGNORECASE))
