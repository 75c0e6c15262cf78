"""Finds what a rewrite took from parts of the conversation that the message is not about.

Closed entities, names and plain words of other exchanges, and what gave way to something in the message are such.
What the message says itself, and what it has a reason to take from the exchange it is about, is never at fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from conversations.domain.language import Analysis, Token
from conversations.domain.licence import Licence
from conversations.domain.liveness import Status
from conversations.domain.reading import Reading
from conversations.domain.resolve import closed_names
from conversations.domain.scope import Scope
from conversations.domain.spelling import misspells
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.verdicts import Objection, Verdict
from conversations.domain.words import GENERIC_KEYS, STOP_KEYS, contains_key, key_of

LEFT = "left part of the conversation"
GAVE_WAY = "gave way to something in the message"
# Capitals that do not merely begin a sentence.
_CAPITALISED = re.compile(r"(?<=[\w,;:)\"”] )[(\"“]?[A-Z][\w'’&-]+")
# The leading terms of an answer say what it is about.
LEADING = 3
# What can carry a subject. Adverbs and function words belong to nobody.
_BEARING = frozenset({"NOUN", "PROPN", "ADJ", "VERB", "NUM", "X"})


@dataclass(frozen=True, slots=True)
class Session:
    """What a rewrite is held against: the message, its scope, the whole session, and what may be taken from it."""

    reading: Reading
    scope: Scope
    state: ConversationState
    licence: Licence

    @property
    def elsewhere(self) -> tuple[Exchange, ...]:
        """The exchanges that the message is not about."""
        return tuple(e for e in self.state.exchanges if e.turn not in self.licence.turns)


def foreign_names(query_key: str, session: Session) -> tuple[Objection, ...]:
    """Names and terms in the rewrite that are closed, were said elsewhere, or give way to one in the message."""
    own, found = session.licence.words, dict[str, Objection]()
    for name, reason in (*_closed_names(session.scope), *_left_names(session), *_gone_names(session)):
        key = key_of(name)
        if not contains_key(query_key, key) or contains_key(session.reading.text_key, key):
            continue
        if reason == LEFT and set(key.split()) <= own:
            continue
        found.setdefault(key, Objection(Verdict.CONTAMINATED, name, reason))
    return tuple(found.values())


def foreign_words(
    query: Analysis, session: Session, named: tuple[Objection, ...] = ()
) -> tuple[Objection, ...]:
    """Runs of words that belong to other parts of the conversation and were not said where the message is about.

    `named` are objections already made to whole names; their words are not objected to again.
    """
    own = session.licence.words | STOP_KEYS | GENERIC_KEYS
    own |= {part for objection in named for part in key_of(objection.words).split()}
    names = (_name_words(session) | session.licence.barred) - own
    subjects = _subject_words(session) - own
    found: dict[str, Objection] = {}
    for run in _runs(query, names, subjects, own):
        found.setdefault(key_of(run), Objection(Verdict.CONTAMINATED, run, LEFT))
    return tuple(found.values())


def _closed_names(scope: Scope) -> Iterator[tuple[str, str]]:
    for name, slot in closed_names(scope):
        yield name, f"{slot.status.value} entity"


def _gone_names(session: Session) -> Iterator[tuple[str, str]]:
    for name in session.licence.gone:
        yield name, GAVE_WAY


def _left_names(session: Session) -> Iterator[tuple[str, str]]:
    for slot in session.state.slots:
        if not slot.closed:
            yield slot.name, LEFT
    for exchange in session.elsewhere:
        for term in (*exchange.terms, *exchange.answer_terms):
            yield term.text, LEFT


def _runs(
    query: Analysis, names: frozenset[str], subjects: frozenset[str], own: frozenset[str]
) -> Iterator[str]:
    """The longest stretches of the rewrite that consist of these words; common words count where they bear meaning."""
    run: list[Token] = []
    for token in query.tokens:
        keys = frozenset(key_of(token.text).split())
        bears = token.pos in _BEARING
        if keys and (keys <= names or (bears and (keys <= subjects or misspells(keys, names, own)))):
            run.append(token)
            continue
        if run:
            yield query.text[run[0].start : run[-1].end]
        run = []
    if run:
        yield query.text[run[0].start : run[-1].end]


def _name_words(session: Session) -> frozenset[str]:
    """The words of names, also of those that only an answer has: "Buenos" is one of "Buenos Aires"."""
    slots = (
        name for slot in session.state.slots for name in (slot.name, *slot.aliases) if name[:1].isupper()
    )
    said = (word for e in session.elsewhere for word in _CAPITALISED.findall(f"{e.message} . {e.answer}"))
    return frozenset(word for word in key_of(" | ".join((*slots, *said))).split() if len(word) > 2)


def _subject_words(session: Session) -> frozenset[str]:
    """The words of what the user asked about and what answers said most."""
    left = session.elsewhere
    slots = (slot.name for slot in session.state.slots if slot.status is not Status.OFFERED)
    topics = (term for topic in session.state.topics for term in topic.terms)
    terms = (t.text for e in left for t in (*e.terms, *e.inherited, *e.answer_terms[:LEADING]))
    asked = (exchange.message for exchange in left)
    words = key_of(" | ".join((*slots, *topics, *terms, *asked))).split()
    return frozenset(word for word in words if len(word) > 2)
