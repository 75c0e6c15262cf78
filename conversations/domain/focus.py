"""Finds the new thing that an elliptic message or a correction brings, and the preposition before it.

It is the one thing that the message names, as it is written there, small courtesies aside.
"""

from __future__ import annotations

import re
from dataclasses import replace

from conversations.domain.corrections import is_phrase, right_in
from conversations.domain.frames import does_another, framed, likewise
from conversations.domain.marks import Mark
from conversations.domain.parallels import asks_on, is_bare_name
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange, Term
from conversations.domain.words import contains_key, key_of

APOLOGIES = frozenset({"mistake", "error", "typo", "bad", "fault", "course", "wrong"})
_NAMED_THING = re.compile(r"\b(?:the|a|an|my|our)\s+(?:[\w'’-]+\s+){1,3}[\w'’-]+[\s?.!]*$", re.IGNORECASE)
_LONGEST_CORRECTION, _LONGEST_NAMED = 3, 4


def focus(reading: Reading) -> tuple[Term | None, str | None]:
    """The new entity of an elliptic message and the preposition before it."""
    match = framed(reading)
    rest = match.group("rest").strip(" .") if match else ""
    right = right_in(reading.text[:300]) if reading.has(Mark.CORRECTION) else ""
    rest = right if right and (not rest or rest.endswith(right)) else rest
    framing = _framed(rest, reading) if rest else None
    if framing is not None:
        return framing, match.group("prep") if match else None
    if reading.has(Mark.CORRECTION) and not reading.has(Mark.ONES) and not asks_on(reading):
        return _corrected(reading), None
    return None, None


def _framed(rest: str, reading: Reading) -> Term | None:
    """What a frame holds, as a term of the message where it is one, or nearly one."""
    key, long = key_of(rest), len(key_of(rest).split())
    for term in reading.terms:
        if term.key == key:
            return term
    for term in reading.terms:
        if _plainly(term.key) == key:
            return Term(rest, key, term.type, term.name)
        if re.fullmatch(rf"{re.escape(term.key)}( \d+)+", key):
            return Term(rest, key, term.type, True)
    if (
        likewise(reading)[0] == rest
        and is_phrase(rest)
        and not does_another(reading)
        and long <= _LONGEST_NAMED
    ):
        return Term(rest, key)
    if reading.has(Mark.CORRECTION) and 1 <= long <= _LONGEST_CORRECTION:
        whole = _as_one(rest, key, reading)
        if whole is not None or not reading.terms:
            return whole or Term(rest, key)
    return Term(rest, key) if _NAMED_THING.search(reading.core) and 2 <= long <= _LONGEST_NAMED else None


def _as_one(rest: str, key: str, reading: Reading) -> Term | None:
    """The words of a correction as one thing, though grammar took them apart: "no, I mean audit logs"."""
    known = [term for term in reading.terms if contains_key(key, term.key)]
    if not is_phrase(rest) or (reading.terms and not known):
        return None
    return Term(
        rest, key, known[-1].type if known else "topic", all(term.name for term in known) and bool(known)
    )


def _plainly(key: str) -> str:
    """The key of a phrase without the "pls" that the parser took for a part of it."""
    return " ".join(word for word in key.split() if word not in {"please", "pls", "plz", "thx", "thank"})


def _corrected(reading: Reading) -> Term | None:
    """The one thing that a correction names, or its first where that is a bare name."""
    fresh = [t for t in reading.terms if not set(t.key.split()) & APOLOGIES and not _is_wrong(t, reading)]
    return fresh[0] if len(fresh) == 1 or (fresh and is_bare_name(fresh[0], reading)) else None


def _is_wrong(term: Term, reading: Reading) -> bool:
    """ "Wrong department, I wanted …": the word says what kind of thing is meant, not which."""
    return bool(re.search(rf"\bwrong\s+{re.escape(term.text)}(?!\w)", reading.core, re.IGNORECASE))


def retyped(new: Term, reading: Reading, antecedent: Exchange) -> Term:
    """A bare name is a name, and no person's where the talk is of none: "and York?", "and Silver?"."""
    if not is_bare_name(new, reading) or new.type not in {"person", "topic"}:
        return new
    people = any(term.type == "person" for term in (*antecedent.terms, *antecedent.inherited))
    return new if people and new.type == "person" else replace(new, type="topic", name=True)
