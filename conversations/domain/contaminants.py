"""Finds what a rewrite took from parts of the conversation that the message is not about.

Closed entities, names and plain words of other threads, and the old one of two things that exclude each other are such.
What the message says itself, and what was said in the thread it is about, is never at fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conversations.domain.language import Analysis, Token
from conversations.domain.liveness import Slot, Status
from conversations.domain.parallels import RIVALLING, rivals
from conversations.domain.pointing import called_by_kind
from conversations.domain.reading import Reading
from conversations.domain.resolve import closed_names, picked
from conversations.domain.scope import Scope
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.verdicts import Objection, Verdict
from conversations.domain.words import GENERIC_KEYS, STOP_KEYS, contains_key, key_of

LEFT = "left part of the conversation"
# What can carry a subject. Adverbs and function words belong to nobody.
# Capitals that do not merely begin a sentence.
_CAPITALISED = re.compile(r"(?<=[\w,;:)\"”] )[(\"“]?[A-Z][\w'’&-]+")
# The leading terms of an answer say what it is about.
LEADING = 3
_BEARING = frozenset({"NOUN", "PROPN", "ADJ", "VERB", "NUM", "X"})


def foreign_names(
    query_key: str, reading: Reading, scope: Scope, state: ConversationState
) -> tuple[Objection, ...]:
    """Names and terms in the rewrite that are closed, were said elsewhere, or give way to one in the message."""
    allowed = allowed_key(reading, scope, state.slots)
    own = set(allowed.split())
    found: dict[str, Objection] = {}
    for name, reason in (*_closed_names(scope), *_left_names(state, scope), *_rival_names(scope, reading)):
        key = key_of(name)
        if not contains_key(query_key, key) or contains_key(reading.text_key, key):
            continue
        if reason == LEFT and (contains_key(allowed, key) or set(key.split()) <= own):
            continue
        found.setdefault(key, Objection(Verdict.CONTAMINATED, name, reason))
    return tuple(found.values())


def foreign_words(
    query: Analysis,
    reading: Reading,
    scope: Scope,
    state: ConversationState,
    named: tuple[Objection, ...] = (),
) -> tuple[Objection, ...]:
    """Runs of words that belong to other parts of the conversation and were not said where the message is about.

    `named` are objections already made to whole names; their words are not objected to again.
    """
    own = set(allowed_key(reading, scope, state.slots).split()) | STOP_KEYS | GENERIC_KEYS
    own |= {part for objection in named for part in key_of(objection.words).split()}
    left = _left(state, scope)
    names, subjects = _name_words(left, state) - own, _subject_words(left, state) - own
    found: dict[str, Objection] = {}
    for run in _runs(query, names, subjects):
        found.setdefault(key_of(run), Objection(Verdict.CONTAMINATED, run, LEFT))
    return tuple(found.values())


def meant(scope: Scope) -> tuple[Exchange, ...]:
    """The shown exchanges that the message can be about: the antecedent's thread."""
    if scope.antecedent is None:
        return ()
    return tuple(e for e in scope.exchanges if e.thread == scope.antecedent.thread)


def allowed_key(reading: Reading, scope: Scope, slots: tuple[Slot, ...] = ()) -> str:
    """Everything that a rewrite may take words from, as one key; of other `slots` what the message calls by its kind
    and what was said of that.
    """
    texts = [reading.text, *(_said(exchange) for exchange in meant(scope))]
    texts += [term.text for term in picked(reading, scope)]
    texts += [text for slot in called_by_kind(reading, slots) for text in (slot.name, *slot.notes)]
    return key_of(" | ".join(texts))


def _said(exchange: Exchange) -> str:
    return f"{exchange.message} | {exchange.query} | {exchange.answer}"


def _closed_names(scope: Scope) -> Iterator[tuple[str, str]]:
    for name, slot in closed_names(scope):
        yield name, f"{slot.status.value} entity"


def _rival_names(scope: Scope, reading: Reading) -> Iterator[tuple[str, str]]:
    """Places, dates and people that the message names another of: the old one has no part in its question."""
    if scope.antecedent is None:
        return
    keys = rivals(reading, scope.antecedent)
    held = (*scope.antecedent.terms, *scope.antecedent.inherited, *scope.antecedent.answer_terms)
    for term in held:
        if term.key in keys and term.type in RIVALLING:
            yield term.text, f"the message names another {term.type}"


def _left_names(state: ConversationState, scope: Scope) -> Iterator[tuple[str, str]]:
    for slot in state.slots:
        if not slot.closed:
            yield slot.name, LEFT
    for exchange in _left(state, scope):
        for term in (*exchange.terms, *exchange.answer_terms):
            yield term.text, LEFT


def _left(state: ConversationState, scope: Scope) -> tuple[Exchange, ...]:
    shown = {exchange.turn for exchange in meant(scope)}
    return tuple(exchange for exchange in state.exchanges if exchange.turn not in shown)


def _runs(query: Analysis, names: frozenset[str], subjects: frozenset[str]) -> Iterator[str]:
    """The longest stretches of the rewrite that consist of these words; common words count where they bear meaning."""
    run: list[Token] = []
    for token in query.tokens:
        keys = set(key_of(token.text).split())
        if keys and (keys <= names or (token.pos in _BEARING and keys <= subjects)):
            run.append(token)
            continue
        if run:
            yield query.text[run[0].start : run[-1].end]
        run = []
    if run:
        yield query.text[run[0].start : run[-1].end]


def _name_words(left: tuple[Exchange, ...], state: ConversationState) -> frozenset[str]:
    """The words of names, also of those that only an answer has: "Buenos" is one of "Buenos Aires"."""
    slots = (name for slot in state.slots for name in (slot.name, *slot.aliases) if name[:1].isupper())
    said = (word for e in left for word in _CAPITALISED.findall(f"{e.message} . {e.answer}"))
    return frozenset(word for word in key_of(" | ".join((*slots, *said))).split() if len(word) > 2)


def _subject_words(left: tuple[Exchange, ...], state: ConversationState) -> frozenset[str]:
    """The words of what the user asked about and what answers said most."""
    slots = (slot.name for slot in state.slots if slot.status is not Status.OFFERED)
    topics = (term for topic in state.topics for term in topic.terms)
    terms = (t.text for e in left for t in (*e.terms, *e.inherited, *e.answer_terms[:LEADING]))
    verbs = (verb for exchange in left for verb in exchange.predicate)
    words = key_of(" | ".join((*slots, *topics, *terms, *verbs))).split()
    return frozenset(word for word in words if len(word) > 2)
