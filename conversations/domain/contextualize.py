"""Turns the latest message into a query that stands on its own, by rules, from the scope alone.

A message that stands alone passes unchanged; one that depends gets the words of its antecedent that it lacks.
Retrieval reads the message followed by those words; people are shown a version with the reference replaced where that is safe.
"""

from __future__ import annotations

from dataclasses import dataclass

from conversations.domain.classify import Classification, Evidence, Kind, is_affirmative
from conversations.domain.display import shown
from conversations.domain.reading import Reading
from conversations.domain.resolve import closed_keys, lacking, picked, swap
from conversations.domain.scope import Scope
from conversations.domain.state import ConversationState, Exchange, Term
from conversations.domain.words import key_of


@dataclass(frozen=True, slots=True)
class EntityRef:
    """An entity of the rewrite. `role`: "subject" (the user asks about it), "context" (carried over)."""

    name: str
    type: str
    role: str = "context"


@dataclass(frozen=True, slots=True)
class Contextualized:
    """A rewrite with what stands behind it. `added` are the words that the message did not have.

    `origin` is "model", "offline" or "typed". `antecedent_turn` is 0 when nothing was carried over.
    """

    query: str
    kind: Kind
    topic_shift: bool = False
    entities: tuple[EntityRef, ...] = ()
    refers_to: tuple[str, ...] = ()
    added: tuple[Term, ...] = ()
    origin: str = "offline"
    antecedent_turn: int = 0
    display: str = ""
    evidence: tuple[Evidence, ...] = ()


ADDED_FROM_USER = 4
ADDED_FROM_ANSWER = 3
ENOUGH_OWN = 2
INHERITED = 2


def contextualize_offline(
    reading: Reading, classification: Classification, scope: Scope, state: ConversationState
) -> Contextualized:
    """The rewrite by rules. Pure, deterministic, total."""
    own = tuple(EntityRef(term.text, term.type, "subject") for term in reading.terms)
    antecedent = scope.antecedent
    if not classification.dependent or antecedent is None:
        return as_typed(reading, classification, own)
    terms, how = _carried(reading, classification, scope, antecedent, state)
    swapped = swap(reading, antecedent, scope)
    query = _joined(reading, classification, terms, antecedent, state)
    return Contextualized(
        query=query,
        kind=classification.kind,
        topic_shift=classification.topic_shift,
        entities=(*own, *(EntityRef(term.text, term.type) for term in terms)),
        refers_to=_referred(terms, antecedent, scope),
        added=terms,
        antecedent_turn=antecedent.turn,
        display=swapped or shown(reading, terms),
        evidence=(*scope.evidence, *how),
    )


def as_typed(
    reading: Reading, classification: Classification, entities: tuple[EntityRef, ...] = ()
) -> Contextualized:
    """The message itself, without the phrase that announces a change of subject."""
    return Contextualized(
        query=reading.core,
        kind=classification.kind,
        topic_shift=classification.topic_shift,
        entities=entities,
        origin="typed",
        display=reading.core,
        evidence=(Evidence("as typed", classification.kind.value),),
    )


def _carried(
    reading: Reading, classification: Classification, scope: Scope, antecedent: Exchange, state: ConversationState
) -> tuple[tuple[Term, ...], tuple[Evidence, ...]]:
    """The words to carry over, in order of weight, and the reason for each group."""
    closed = closed_keys(scope, reading)
    chosen = picked(reading, scope, state)
    user = subjects(antecedent)
    groups = [("picked from a list", chosen, 2), ("named by the user", user, ADDED_FROM_USER)]
    if not chosen:
        groups.append(("said in the answer", _from_answer(antecedent, scope), ADDED_FROM_ANSWER))
    terms: tuple[Term, ...] = ()
    evidence: list[Evidence] = []
    for name, offered, limit in groups:
        fresh = lacking(offered, reading, terms, closed)[:limit]
        if fresh:
            evidence.append(Evidence(name, ", ".join(term.text for term in fresh)))
        terms = (*terms, *fresh)
    return terms, tuple(evidence)


def subjects(exchange: Exchange) -> tuple[Term, ...]:
    """What the user was asking about: the own words of the turn, and what it leaned on where it had few."""
    own = exchange.terms
    return own if len(own) >= ENOUGH_OWN else (*own, *exchange.inherited[:INHERITED])


def _from_answer(antecedent: Exchange, scope: Scope) -> tuple[Term, ...]:
    return antecedent.answer_terms


def _joined(
    reading: Reading,
    classification: Classification,
    terms: tuple[Term, ...],
    antecedent: Exchange,
    state: ConversationState,
) -> str:
    words = " ".join(term.text for term in terms)
    if classification.kind is Kind.ANSWER_TO_QUESTION:
        return _answered(reading, antecedent, state, words)
    return f"{reading.core} {words}".strip()


def _answered(reading: Reading, antecedent: Exchange, state: ConversationState, words: str) -> str:
    """The question that the reply answers: the user's own with the reply, or what was offered to a "yes"."""
    pending = state.pending
    if pending and is_affirmative(reading.core):
        return " ".join(term.text for term in pending.about) or pending.text
    return f"{antecedent.query} {reading.core}"


def _referred(terms: tuple[Term, ...], antecedent: Exchange, scope: Scope) -> tuple[str, ...]:
    keys = {term.key for term in terms}
    held = set(antecedent.slots)
    return tuple(slot.id for slot in scope.slots if slot.id in held or key_of(slot.name) in keys)
