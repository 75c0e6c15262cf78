"""Turns the latest message into a query that stands on its own, by rules, from the scope alone.

A message that stands alone passes unchanged; one that depends gets the words of its antecedent that it lacks.
Retrieval reads the message followed by those words; people are shown a version with the reference replaced where that is safe.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from conversations.domain.additions import addition, with_addition
from conversations.domain.aspects import ATTRIBUTES
from conversations.domain.carried import INHERITED, carried, subjects
from conversations.domain.classify import Classification, Evidence, Kind
from conversations.domain.comparing import shared_by, shown_sides
from conversations.domain.completeness import own_terms
from conversations.domain.display import accepted, as_asked, replied, shown
from conversations.domain.frames import asked_of_it, brings_another
from conversations.domain.marks import Mark
from conversations.domain.reading import Reading
from conversations.domain.resolve import (
    closed_keys,
    lacking,
    meant_by_one,
    picked,
    says_modifier,
)
from conversations.domain.scope import Scope
from conversations.domain.sides import Comparison, sides_with
from conversations.domain.small_talk import is_affirmative
from conversations.domain.state import ConversationState, Exchange, Term
from conversations.domain.stories import question_first, questions_of
from conversations.domain.swapping import Swap, asks_an_attribute, swap, swap_aspect, verbs_left
from conversations.domain.words import GENERIC_KEYS, contains_key, key_of

# Marks of a sentence without a predicate of its own: the earlier one is meant.
UNFINISHED = (Mark.ELLIPSIS, Mark.VERBLESS)


@dataclass(frozen=True, slots=True)
class EntityRef:
    """An entity of the rewrite. `role`: "subject" (the user asks about it), "context" (carried over)."""

    name: str
    type: str
    role: str = "context"


@dataclass(frozen=True, slots=True)
class Contextualized:
    """A rewrite with what stands behind it. `added` are the words that the message did not have; those of them
    that only the answer said are `offered`: they help this search and are carried no further.

    `named` are things that the message names by pointing at the question that named them.
    `picked` are keys of what "the second one" picked from an offered list.
    `replaced` are pairs of keys (old, new): entities whose role in the question another one took.
    `compared` are the sides of a comparison in their order.

    `origin` is "model", "offline" or "typed". `antecedent_turn` is 0 when nothing was carried over.
    """

    query: str
    kind: Kind
    topic_shift: bool = False
    entities: tuple[EntityRef, ...] = ()
    refers_to: tuple[str, ...] = ()
    added: tuple[Term, ...] = ()
    offered: tuple[Term, ...] = ()
    named: tuple[Term, ...] = ()
    picked: tuple[str, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()
    compared: tuple[Term, ...] = ()
    origin: str = "offline"
    antecedent_turn: int = 0
    display: str = ""
    evidence: tuple[Evidence, ...] = ()


def contextualize_offline(
    reading: Reading, classification: Classification, scope: Scope, state: ConversationState
) -> Contextualized:
    """The rewrite by rules. Pure, deterministic, total."""
    antecedent = scope.antecedent
    if not classification.dependent or antecedent is None:
        return as_typed(reading, classification)
    if _points(reading, classification) and reading.cue.place and reading.cue.place.bare:
        return _asked_again(classification, scope, antecedent)
    one = meant_by_one(reading, (antecedent,) if says_modifier(reading, antecedent) else state.exchanges)
    swapped = None
    if classification.kind is Kind.PARTIAL_SHIFT:
        swapped = swap_aspect(reading, antecedent)
    elif not _answers(reading, classification):
        swapped = swap(reading, antecedent, scope.exchanges, one)
    if scope.compared is not None:
        return _compared(reading, classification, scope, antecedent, scope.compared)
    if swapped and _open(swapped.new, scope, reading):
        return _swapped(reading, classification, scope, antecedent, swapped)
    more = "" if swapped or _answers(reading, classification) else addition(reading, antecedent)
    if more:
        return _asked_more(reading, classification, scope, antecedent, more)
    if classification.kind is Kind.ANSWER_TO_QUESTION:
        return _answered(reading, classification, scope, antecedent, state)
    taken = carried(reading, classification, scope, antecedent, one, state.slots)
    meant = tuple(term for term in taken.terms if term not in taken.offered)
    entries = picked(reading, scope)
    return Contextualized(
        query=_joined(reading, taken.terms, antecedent),
        kind=classification.kind,
        topic_shift=classification.topic_shift,
        entities=(*_own(reading), *(EntityRef(term.text, term.type) for term in taken.terms)),
        refers_to=_referred(meant, antecedent, scope),
        added=taken.terms,
        offered=taken.offered,
        named=meant if _points(reading, classification) else (),
        picked=tuple(term.key for term in entries),
        antecedent_turn=antecedent.turn,
        display=shown(reading, taken.terms, entries, taken.offered),
        evidence=(*scope.evidence, *taken.evidence),
    )


def _points(reading: Reading, classification: Classification) -> bool:
    """Whether the message says by its place which earlier question it goes back to."""
    return reading.cue.place is not None and classification.kind is Kind.TOPIC_RETURN


def _answers(reading: Reading, classification: Classification) -> bool:
    """Whether the message fills what the assistant asked for; "no, for summer" sets something in its place instead."""
    return classification.kind is Kind.ANSWER_TO_QUESTION and not reading.has(Mark.CONTINUES, Mark.CORRECTION)


def as_typed(reading: Reading, classification: Classification) -> Contextualized:
    """The message itself, without the phrase that announces a change of subject; of a story its question first."""
    return Contextualized(
        query=_led(reading),
        kind=classification.kind,
        topic_shift=classification.topic_shift,
        entities=_own(reading),
        origin="typed",
        display=" ".join(questions_of(reading.core) if _led(reading) != reading.core else ()) or reading.core,
        evidence=(Evidence("as typed", classification.kind.value),),
    )


def _led(reading: Reading) -> str:
    """The message with the questions of a story at its head; another language passes unchanged."""
    return question_first(reading.core) if reading.analysis.language == "en" else reading.core


def _own(reading: Reading) -> tuple[EntityRef, ...]:
    return tuple(EntityRef(term.text, term.type, "subject") for term in reading.terms)


def _open(term: Term, scope: Scope, reading: Reading) -> bool:
    return not any(contains_key(term.key, key) for key in closed_keys(scope, reading))


def _swapped(
    reading: Reading, classification: Classification, scope: Scope, antecedent: Exchange, swapped: Swap
) -> Contextualized:
    """The earlier question about the new entity; nothing else is carried, least of all the old one's answer."""
    old = swapped.old.key
    held = (*antecedent.terms, *antecedent.inherited)
    gone = {
        old,
        *(t.key for t in held if contains_key(old, t.key) and not contains_key(swapped.new.key, t.key)),
    }
    left = (t for t in subjects(antecedent) if t.key not in gone and not contains_key(t.key, old))
    kept = tuple(t for t in left if _open(t, scope, reading))
    return Contextualized(
        query=swapped.query,
        kind=classification.kind,
        entities=(*_own(reading), *(EntityRef(term.text, term.type) for term in kept)),
        refers_to=_referred(kept, antecedent, scope, gone),
        added=kept,
        named=kept if _points(reading, classification) else (),
        replaced=tuple((key, swapped.new.key) for key in sorted(gone)),
        compared=sides_with(antecedent, swapped.old, swapped.new),
        antecedent_turn=antecedent.turn,
        display=swapped.display,
        evidence=(*scope.evidence, Evidence("swapped", f"{swapped.old.text} → {swapped.new.text}")),
    )


def _asked_more(
    reading: Reading, classification: Classification, scope: Scope, antecedent: Exchange, more: str
) -> Contextualized:
    """The earlier question with a circumstance behind it that nothing in it gives way to."""
    kept = tuple(term for term in subjects(antecedent) if _open(term, scope, reading))
    return Contextualized(
        query=with_addition(antecedent, more),
        kind=classification.kind,
        entities=(*_own(reading), *(EntityRef(term.text, term.type) for term in kept)),
        refers_to=_referred(kept, antecedent, scope),
        added=kept,
        antecedent_turn=antecedent.turn,
        display=with_addition(antecedent, more),
        evidence=(*scope.evidence, Evidence("adds", more)),
    )


def _asked_again(classification: Classification, scope: Scope, antecedent: Exchange) -> Contextualized:
    """The question that the message points at, just as it was searched then."""
    kept = subjects(antecedent)
    return Contextualized(
        query=antecedent.query,
        kind=classification.kind,
        entities=tuple(EntityRef(term.text, term.type, "subject") for term in kept),
        refers_to=_referred(kept, antecedent, scope),
        added=kept,
        named=kept,
        antecedent_turn=antecedent.turn,
        display=as_asked(antecedent),
        evidence=(*scope.evidence, Evidence("asked again", antecedent.message[:60])),
    )


def _compared(
    reading: Reading, classification: Classification, scope: Scope, antecedent: Exchange, found: Comparison
) -> Contextualized:
    """The comparison with all its sides and what was asked of each. None has given way to another."""
    shared = () if own_terms(reading) else shared_by(reading, found)
    terms = lacking((*found.sides, *shared), reading, (), frozenset())
    verbs = (
        ()
        if reading.keys - GENERIC_KEYS
        else tuple(v for v in antecedent.predicate if key_of(v) not in found.words)
    )
    return Contextualized(
        query=" ".join((reading.core, *verbs, *(term.text for term in terms))),
        kind=classification.kind,
        entities=(*_own(reading), *(EntityRef(term.text, term.type) for term in terms)),
        refers_to=_referred(terms, antecedent, scope),
        added=terms,
        picked=tuple(side.key for side in found.sides),
        compared=found.sides,
        antecedent_turn=antecedent.turn,
        display=shown_sides(reading.core, found, shared),
        evidence=(*scope.evidence, Evidence("compares", ", ".join(side.text for side in found.sides))),
    )


def _joined(reading: Reading, terms: tuple[Term, ...], antecedent: Exchange) -> str:
    words = [term.text for term in terms]
    core = _TAKEN_BACK.sub("", reading.core) if reading.has(Mark.CORRECTION) else _led(reading)
    goes_on = (
        reading.has(*UNFINISHED)
        and (words or brings_another(reading))
        and not (asks_an_attribute(reading) or asked_of_it(reading))
    )
    verbs = verbs_left(reading, antecedent) if goes_on else ()
    return " ".join((core, *verbs, *words))


# "I meant Cork, not Sligo.": what is taken back is not searched for.
_TAKEN_BACK = re.compile(r"\s*,\s*(?:and\s+)?not\s+(?:[\w'’-]+\s*){1,4}(?=[.,;!?]|$)", re.IGNORECASE)


def _answered(
    reading: Reading,
    classification: Classification,
    scope: Scope,
    antecedent: Exchange,
    state: ConversationState,
) -> Contextualized:
    """The question that the reply answers: the user's own with the reply, or what was offered to a "yes"."""
    pending = state.pending
    wanted = pending is not None and is_affirmative(reading.core)
    about = pending.about if pending and wanted else ()
    query, display = f"{antecedent.query} {reading.core}", replied(antecedent, reading.core)
    if pending and wanted:
        offered = _OFFERING.sub("", pending.text).strip()
        rest = lacking(antecedent.terms, reading, about, closed_keys(scope, reading))[:INHERITED]
        query, display = " ".join((offered, *(term.text for term in rest))), accepted(offered, rest)
        if all(term.key in ATTRIBUTES for term in about):
            query, display = f"{antecedent.query} {offered}", replied(antecedent, offered)
    kept = about or subjects(antecedent)
    return Contextualized(
        query=query,
        kind=classification.kind,
        entities=(*_own(reading), *(EntityRef(term.text, term.type) for term in kept)),
        refers_to=_referred(kept, antecedent, scope),
        added=kept,
        antecedent_turn=antecedent.turn,
        display=display,
        evidence=(*scope.evidence, Evidence("answers", pending.text if pending else "")),
    )


# What only makes an offer of it: "Would you like to know …", "Shall I tell you …".
_OFFERING = re.compile(
    r"^(?:.*?[.!,;]\s+)?(?:would|do|shall|should|can|may|are)\s+(?:you|i|we)\s+(?:(?:like|want|wish|interested)\s*(?:in|me|to|us)?\s*(?:to\s+)?)?"
    r"(?:(?:know|hear|see|learn|read|get|tell|show|explain|give|send|list|describe)\s+(?:you\s+)?(?:(?:more|also)\s+)?(?:about\s+)?)?",
    re.IGNORECASE,
)


def _referred(
    terms: tuple[Term, ...],
    antecedent: Exchange,
    scope: Scope,
    without: frozenset[str] | set[str] = frozenset(),
) -> tuple[str, ...]:
    """The open slots that the message refers to through its antecedent."""
    keys, held = {term.key for term in terms}, set(antecedent.slots)
    slots = ((slot, key_of(slot.name)) for slot in scope.slots)
    return tuple(s.id for s, key in slots if key not in without and (s.id in held or key in keys))
