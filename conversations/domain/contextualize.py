"""Turns the latest message into a query that stands on its own, by rules, from the scope alone.

A message that stands alone passes unchanged; one that depends gets the words of its antecedent that it lacks.
Retrieval reads the message followed by those words; people are shown a version with the reference replaced where that is safe.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from conversations.domain.classify import Classification, Evidence, Kind, is_affirmative
from conversations.domain.completeness import asks_anew, is_complete, own_terms
from conversations.domain.display import agreeing_first, shown
from conversations.domain.frames import brings_another
from conversations.domain.liveness import Slot
from conversations.domain.marks import Mark
from conversations.domain.parallels import asks_on, negated, parallel, rivals
from conversations.domain.pointing import aspect, in_full
from conversations.domain.reading import Reading
from conversations.domain.resolve import (
    closed_keys,
    lacking,
    meant_by_one,
    one_modifier,
    picked,
    plain_offers,
)
from conversations.domain.scope import Scope
from conversations.domain.state import ConversationState, Exchange, Term
from conversations.domain.swapping import Swap, given_way, swap
from conversations.domain.wanted import of_type, pronoun_focus, wanted_type
from conversations.domain.words import contains_key, key_of

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
    """A rewrite with what stands behind it. `added` are the words that the message did not have.

    `picked` are keys of what "the second one" picked from an offered list.
    `replaced` are pairs of keys (old, new): entities whose role in the question another one took.

    `origin` is "model", "offline" or "typed". `antecedent_turn` is 0 when nothing was carried over.
    """

    query: str
    kind: Kind
    topic_shift: bool = False
    entities: tuple[EntityRef, ...] = ()
    refers_to: tuple[str, ...] = ()
    added: tuple[Term, ...] = ()
    picked: tuple[str, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()
    origin: str = "offline"
    antecedent_turn: int = 0
    display: str = ""
    evidence: tuple[Evidence, ...] = ()


# How many terms of the user, the answer and a companion are added. An unmarked message names its own subject
# and needs fewer; all numbers are flat within one.
ADDED = (3, 3, 2)
ADDED_UNMARKED = (2, 0, 0)
ENOUGH_OWN = 2
INHERITED = 2
PICKED = 2
# A second exchange of the same thread adds its subject when it is nearly as near as the first.
COMPANION = 0.6
COMPANION_NEAR = 0.2


def contextualize_offline(
    reading: Reading, classification: Classification, scope: Scope, state: ConversationState
) -> Contextualized:
    """The rewrite by rules. Pure, deterministic, total."""
    antecedent = scope.antecedent
    if not classification.dependent or antecedent is None:
        return as_typed(reading, classification)
    one = meant_by_one(reading, state.exchanges)
    swapped = None
    if classification.kind is not Kind.PARTIAL_SHIFT and not _answers(reading, classification):
        swapped = swap(reading, antecedent, scope.exchanges, one)
    if swapped and _open(swapped.new, scope, reading):
        return _swapped(reading, classification, scope, antecedent, swapped)
    if classification.kind is Kind.ANSWER_TO_QUESTION:
        return _answered(reading, classification, scope, antecedent, state)
    terms, how = _carried(reading, classification, scope, antecedent, one, state.slots)
    return Contextualized(
        query=_joined(reading, terms, antecedent),
        kind=classification.kind,
        topic_shift=classification.topic_shift,
        entities=(*_own(reading), *(EntityRef(term.text, term.type) for term in terms)),
        refers_to=_referred(terms, antecedent, scope),
        added=terms,
        picked=tuple(term.key for term in picked(reading, scope)),
        antecedent_turn=antecedent.turn,
        display=shown(reading, terms),
        evidence=(*scope.evidence, *how),
    )


def _answers(reading: Reading, classification: Classification) -> bool:
    """Whether the message fills what the assistant asked for; "no, for summer" sets something in its place instead."""
    return classification.kind is Kind.ANSWER_TO_QUESTION and not reading.has(Mark.CONTINUES, Mark.CORRECTION)


def as_typed(reading: Reading, classification: Classification) -> Contextualized:
    """The message itself, without the phrase that announces a change of subject."""
    return Contextualized(
        query=reading.core,
        kind=classification.kind,
        topic_shift=classification.topic_shift,
        entities=_own(reading),
        origin="typed",
        display=reading.core,
        evidence=(Evidence("as typed", classification.kind.value),),
    )


def _own(reading: Reading) -> tuple[EntityRef, ...]:
    return tuple(EntityRef(term.text, term.type, "subject") for term in reading.terms)


def _open(term: Term, scope: Scope, reading: Reading) -> bool:
    return not any(contains_key(term.key, key) for key in closed_keys(scope, reading))


def _swapped(
    reading: Reading, classification: Classification, scope: Scope, antecedent: Exchange, swapped: Swap
) -> Contextualized:
    """The earlier question about the new entity; nothing else is carried, least of all the old one's answer."""
    kept = tuple(t for t in subjects(antecedent) if t.key != swapped.old.key and _open(t, scope, reading))
    return Contextualized(
        query=swapped.query,
        kind=classification.kind,
        entities=(*_own(reading), *(EntityRef(term.text, term.type) for term in kept)),
        refers_to=_referred(kept, antecedent, scope, {swapped.old.key}),
        added=kept,
        replaced=((swapped.old.key, swapped.new.key),),
        antecedent_turn=antecedent.turn,
        display=swapped.query,
        evidence=(*scope.evidence, Evidence("swapped", f"{swapped.old.text} → {swapped.new.text}")),
    )


def _carried(
    reading: Reading,
    classification: Classification,
    scope: Scope,
    antecedent: Exchange,
    one: Term | None = None,
    slots: tuple[Slot, ...] = (),
) -> tuple[tuple[Term, ...], tuple[Evidence, ...]]:
    """The words to carry over, in order of weight, and the reason for each group."""
    chosen = picked(reading, scope) or ((one,) if one else ())
    replaced = rivals(reading, antecedent, scope.exchanges, chosen)
    closed = closed_keys(scope, reading) | replaced | negated(reading) | given_way(reading, antecedent)
    if classification.kind is Kind.PARTIAL_SHIFT:
        names = _still_meant(reading, antecedent, scope)
        kept = lacking(names, reading, (), closed)[:INHERITED]
        return kept, (Evidence("still about", ", ".join(term.text for term in kept)),)
    if is_complete(reading) and replaced & {t.key for t in (*antecedent.terms, *antecedent.inherited)}:
        return (), (Evidence("a question of its own", "about another thing of the same kind"),)
    of_user, of_answer, of_companion = _amounts(reading, antecedent)
    spoken = {term.key for term in (*antecedent.terms, *antecedent.inherited)}
    if classification.kind is Kind.CORRECTION or replaced & spoken or brings_another(reading):
        of_answer = 0
    if reading.has(Mark.RECALLS):  # what it points back at is said plainly: nothing from beside it
        of_companion = 0
    if one_modifier(reading):  # "the blue one": the other entries of the list are its rivals
        of_answer = 0
    wanted = wanted_type(reading)
    meant = of_type(antecedent, wanted)[:1] if wanted else ()
    if meant and wanted == "place" and own_terms(reading):
        of_user, of_answer, of_companion = 0, 0, 0
    if classification.kind is Kind.CORRECTION:
        of_companion, closed = 0, closed | _corrected(reading, antecedent, replaced)
    groups = [
        ("picked from a list", chosen, PICKED),
        ("the kind of thing meant", meant, 1),
        ("named in full before", in_full(reading, slots), 1),
        ("named by the user", aspect(reading, antecedent, subjects(antecedent)), of_user),
        ("said in the answer", () if chosen else plain_offers(antecedent), of_answer),
        ("named nearby", _companion(classification, antecedent, scope), of_companion),
    ]
    terms: tuple[Term, ...] = ()
    evidence: list[Evidence] = []
    for name, offered, limit in groups:
        fresh = lacking(offered, reading, terms, closed)[:limit]
        if fresh:
            evidence.append(Evidence(name, ", ".join(term.text for term in fresh)))
        terms = (*terms, *fresh)
    if not terms and antecedent.inherited and reading.has(Mark.DEFINITE):
        terms = lacking(antecedent.inherited, reading, (), closed)[:INHERITED]
        evidence.append(Evidence("what that leaned on", ", ".join(term.text for term in terms)))
    return agreeing_first(terms, reading), tuple(evidence)


def _corrected(reading: Reading, antecedent: Exchange, replaced: frozenset[str]) -> frozenset[str]:
    """What a correction leaves out: all that a question asked anew does not repeat, else names when no rival is known."""
    held = (*antecedent.terms, *antecedent.inherited)
    if reading.has(Mark.PLACE):
        return frozenset()
    if asks_anew(reading) or (asks_on(reading) and not reading.has(Mark.DEFINITE)):
        return frozenset(term.key for term in held if not set(term.key.split()) & reading.keys)
    if replaced or negated(reading) or not reading.terms:
        return frozenset()
    return frozenset(term.key for term in held if term.name)


def _still_meant(reading: Reading, antecedent: Exchange, scope: Scope) -> tuple[Term, ...]:
    """What a change of aspect keeps: the place for "there", for a pronoun the thing it meant, else only names."""
    held = (*antecedent.terms, *antecedent.inherited)
    wanted = wanted_type(reading)
    if wanted:
        typed = of_type(antecedent, wanted) or (_live_places(scope) if wanted == "place" else ())
        if typed:
            return tuple(typed[:1])
    focus = pronoun_focus(reading, (antecedent,))
    if focus is not None:
        return (focus[1],)
    names = tuple(term for term in held if term.name)
    if reading.strong:
        return names or held[:INHERITED] or tuple(t for t in antecedent.answer_terms if t.name)
    return tuple(term for term in names if term.type != "topic")


def _live_places(scope: Scope) -> tuple[Term, ...]:
    """Places the user still means, the latest mention first."""
    slots = sorted((s for s in scope.slots if s.type == "place"), key=lambda slot: -slot.last_mention_turn)
    return tuple(Term(slot.name, key_of(slot.name), slot.type, True) for slot in slots)


def _amounts(reading: Reading, antecedent: Exchange) -> tuple[int, int, int]:
    """How many terms to add; few when the message names the antecedent's subject itself or bears no mark."""
    if is_complete(reading):
        return ADDED_UNMARKED
    named = all(contains_key(reading.text_key, term.key) for term in antecedent.terms)
    if reading.strong or reading.leaning or (reading.weak and not named):
        return ADDED
    return ADDED_UNMARKED


def subjects(exchange: Exchange) -> tuple[Term, ...]:
    """What the user was asking about: the own words of the turn, and what it leaned on where it had few."""
    own, leaned = exchange.terms, exchange.inherited[:INHERITED]
    if own:
        return own if len(own) >= ENOUGH_OWN else (*own, *leaned)
    return (*leaned, *(Term(verb, key_of(verb), "activity") for verb in exchange.predicate[:1]))


def _companion(classification: Classification, antecedent: Exchange, scope: Scope) -> tuple[Term, ...]:
    """The subject of the second nearest exchange, when one leans on the other and it is nearly as near."""
    shown = {e.turn: e for e in scope.exchanges if antecedent.turn == e.anchor or e.turn == antecedent.anchor}
    first = next((item for item in classification.affinities if item.turn == antecedent.turn), None)
    second = next((item for item in classification.affinities if item.turn in shown), None)
    if first is None or second is None:
        return ()
    near = second.total > max(COMPANION * first.total, COMPANION_NEAR)
    alike = parallel(antecedent, shown[second.turn]) or parallel(shown[second.turn], antecedent)
    return shown[second.turn].terms if near and not alike else ()


def _joined(reading: Reading, terms: tuple[Term, ...], antecedent: Exchange) -> str:
    words = [term.text for term in terms]
    core = _TAKEN_BACK.sub("", reading.core) if reading.has(Mark.CORRECTION) else reading.core
    verbs = antecedent.predicate if reading.has(*UNFINISHED) and (words or brings_another(reading)) else ()
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
    accepted = pending is not None and is_affirmative(reading.core)
    about = pending.about if pending and accepted else ()
    query = f"{antecedent.query} {reading.core}"
    if pending and accepted:
        rest = lacking(antecedent.terms, reading, about, closed_keys(scope, reading))[:INHERITED]
        query = " ".join((_OFFERING.sub("", pending.text).strip(), *(term.text for term in rest)))
    kept = about or subjects(antecedent)
    return Contextualized(
        query=query,
        kind=classification.kind,
        entities=(*_own(reading), *(EntityRef(term.text, term.type) for term in kept)),
        refers_to=_referred(kept, antecedent, scope),
        added=kept,
        antecedent_turn=antecedent.turn,
        display=query,
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
