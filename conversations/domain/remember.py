"""Brings a finished turn into the session: what the user named, referred to, replaced and left, and what was offered.

Only the user's words and references move an entity; the answer's words are offers until the user takes one up.
The state stays the same size however long the session lasts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from conversations.domain.classify import Classification, Kind
from conversations.domain.contextualize import Contextualized
from conversations.domain.entities import content_keys, predicate_of, ranked_terms
from conversations.domain.language import Analysis
from conversations.domain.liveness import SlotChange
from conversations.domain.marks import Mark
from conversations.domain.memory.facts import values_taken_back
from conversations.domain.offers import asked, kinds_asked_for, offered_items, whole
from conversations.domain.parallels import NAMED, negated
from conversations.domain.policy import ScopePolicy
from conversations.domain.reading import Reading
from conversations.domain.sides import offered_sides
from conversations.domain.slots import update_slots
from conversations.domain.state import ConversationState, Exchange, Term, Topic
from conversations.domain.vectors import Vector, cosine, pack, pack_rows, unit, unpack
from conversations.domain.verdicts import Ruling
from conversations.domain.words import contains_key, key_of

ANSWER_CHARACTERS = 1_500
MESSAGE_CHARACTERS = 2_000
TOPICS_KEPT = 20
ANSWER_TERMS = 12
INHERITED_KEPT = 6
HOME_KEPT = 5
# What the bare name of a town is mistaken for.
MISTAKEN = NAMED | {"person"}


@dataclass(frozen=True, slots=True, eq=False)
class AnswerReading:
    """What the assistant said: its analysis, and unit vectors of the whole and of its first sentences.

    `sentence_vectors` belong to `analysis.sentence_texts()` from the first on; fewer are fine, none is fine.
    It cites `chunks` and was given those of `home` to draw on, the best first.
    """

    text: str
    analysis: Analysis
    vector: Vector | None = None
    sentence_vectors: tuple[Vector, ...] = ()
    chunks: tuple[str, ...] = ()
    home: tuple[str, ...] = ()


def remember(
    state: ConversationState,
    reading: Reading,
    classification: Classification,
    contextualized: Contextualized,
    ruling: Ruling,
    answer: AnswerReading,
    policy: ScopePolicy,
    query_vector: Vector | None = None,
) -> tuple[ConversationState, tuple[SlotChange, ...]]:
    """The state after this turn, and every transition of a slot in it."""
    turn = state.turn + 1
    reading = _retyped(reading, contextualized, state)
    listed = kinds_asked_for(reading.analysis)
    items = offered_items(answer.text, answer.analysis, listed)
    updated = update_slots(
        state, turn, reading, classification, contextualized, answer.analysis, items, answer.chunks, policy
    )
    exchange = _exchange(turn, state, reading, classification, contextualized, ruling, answer, policy)
    exchange = replace(
        exchange,
        items=contextualized.compared or (items if len(items) > 1 else offered_sides(exchange) or items),
        answer_terms=whole(exchange.answer_terms, answer.text, listed),
        slots=updated.held,
        query_vector=pack(query_vector),
    )
    topics = _topics(state, exchange, reading)
    return (
        ConversationState(
            turn=turn,
            version=state.version + 1,
            next_slot=updated.next_slot,
            slots=updated.slots,
            exchanges=(*_corrected(state.exchanges, reading), exchange)[-policy.budgets.exchanges_kept :],
            topics=topics[-TOPICS_KEPT:],
            segment=exchange.segment,
            pending=asked(turn, answer.text, answer.analysis),
        ),
        updated.changes,
    )


def _retyped(reading: Reading, contextualized: Contextualized, state: ConversationState) -> Reading:
    """What takes the place of a town is a town, whatever a language library takes a bare name for."""
    earlier = state.exchange(contextualized.antecedent_turn)
    if earlier is None or not contextualized.replaced:
        return reading
    towns = {term.key for term in (*earlier.terms, *earlier.inherited) if term.type == "place"}
    taken = {new for old, new in contextualized.replaced if old in towns}
    terms = tuple(
        replace(t, type="place", name=True) if t.key in taken and t.type in MISTAKEN else t
        for t in reading.terms
    )
    return reading if terms == reading.terms else replace(reading, terms=terms)


def _corrected(exchanges: tuple[Exchange, ...], reading: Reading) -> tuple[Exchange, ...]:
    """The exchanges without the things that a correction takes back: nobody shall carry them on."""
    gone = (
        [key_of(wrong) for wrong in values_taken_back(reading.core)] if reading.has(Mark.CORRECTION) else []
    )
    if not gone:
        return exchanges

    def kept(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(t for t in terms if not any(contains_key(t.key, key) for key in gone))

    def corrected(e: Exchange) -> Exchange:
        left = replace(e, terms=kept(e.terms), inherited=kept(e.inherited), answer_terms=kept(e.answer_terms))
        return e if left == e else replace(left, corrected=True)

    return tuple(map(corrected, exchanges))


def _leaves(
    state: ConversationState, reading: Reading, classification: Classification, policy: ScopePolicy
) -> bool:
    """Whether the message begins a new stretch: a declared shift, or a question far from what the stretch is about."""
    if classification.topic_shift:
        return True
    if state.topic is None or classification.dependent or classification.kind is Kind.SMALL_TALK:
        return False
    centroid = unit(unpack(state.topic.centroid))
    if centroid is None or reading.vector is None or centroid.shape != reading.vector.shape:
        return False
    return cosine(reading.vector, centroid) < policy.thresholds.boundary


def _exchange(
    turn: int,
    state: ConversationState,
    reading: Reading,
    classification: Classification,
    contextualized: Contextualized,
    ruling: Ruling,
    answer: AnswerReading,
    policy: ScopePolicy,
) -> Exchange:
    anchor = contextualized.antecedent_turn
    sentences = answer.analysis.sentence_texts()[: policy.budgets.sentences_kept]
    vectors = answer.sentence_vectors[: len(sentences)]
    answer_terms = ranked_terms(answer.analysis, 40)
    words = reading.keys | content_keys(answer.analysis)
    taken_back = negated(reading)
    return Exchange(
        turn=turn,
        message=reading.core[:MESSAGE_CHARACTERS],
        query=ruling.query[:MESSAGE_CHARACTERS],
        kind=classification.kind.value,
        answer=answer.text[:ANSWER_CHARACTERS],
        terms=_typed(tuple(t for t in reading.terms if t.key not in taken_back)[:12], answer_terms),
        inherited=_inherited(contextualized),
        answer_terms=answer_terms[:ANSWER_TERMS],
        sentences=sentences[: len(vectors)],
        words=tuple(sorted(words))[:160],
        predicate=predicate_of(reading.analysis) if reading.analysis.language == "en" else (),
        chunks=answer.chunks,
        home=tuple(dict.fromkeys((*answer.chunks, *answer.home)))[:HOME_KEPT],
        segment=_segment(state, anchor, _leaves(state, reading, classification, policy)),
        thread=_thread(state, turn, classification, anchor, policy.thresholds.related),
        anchor=anchor,
        message_vector=pack(reading.vector),
        answer_vector=pack(answer.vector),
        sentence_vectors=pack_rows(vectors),
    )


def _inherited(contextualized: Contextualized) -> tuple[Term, ...]:
    """What the turn leaned on of the user's own; a word of an answer does not become the user's by being searched."""
    return tuple(t for t in contextualized.added if t not in contextualized.offered)[:INHERITED_KEPT]


def _typed(terms: tuple[Term, ...], answer_terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The user's terms with the type that the answer's spelling shows: "warsaw" is the Warsaw of the answer."""
    known = {term.key: term for term in answer_terms if term.name and term.type != "topic"}
    return tuple(
        replace(t, type=known[t.key].type, name=True)
        if t.type == "topic" and _same_word(t, known.get(t.key))
        else t
        for t in terms
    )


def _same_word(term: Term, name: Term | None) -> bool:
    """ "Warsaw" for "warsaw"; the "Lamps" that begin an answer are no name for a lamp."""
    return name is not None and name.text.casefold() == term.text.casefold()


def _thread(
    state: ConversationState, turn: int, classification: Classification, anchor: int, related: float
) -> int:
    """Of a turn that stands alone that of the nearest exchange, where it is as near as one that is leaned on."""
    tied = state.exchange(anchor) if anchor else None
    best = classification.best
    if tied is None and not classification.topic_shift and best is not None and best.total >= related:
        tied = state.exchange(best.turn)
    if tied is None and classification.kind is Kind.SMALL_TALK:
        tied = state.last
    return tied.thread if tied else turn


def _segment(state: ConversationState, anchor: int, leaves: bool) -> int:
    last = state.last
    if last is None:
        return 1
    tied = state.exchange(anchor) if anchor else None
    moved = tied is not None and tied.segment != last.segment
    here = max(last.segment, state.segment)  # ahead of the last exchange when the session was reopened
    return here + 1 if leaves or moved else here


def _topics(state: ConversationState, exchange: Exchange, reading: Reading) -> tuple[Topic, ...]:
    names = tuple(term.text for term in (*reading.terms, *exchange.inherited))[:6]
    last = state.topic
    if last is None or last.segment != exchange.segment:
        return (
            *state.topics,
            Topic(exchange.segment, exchange.turn, exchange.turn, names, exchange.message_vector),
        )
    merged = replace(
        last,
        last_turn=exchange.turn,
        terms=tuple(dict.fromkeys((*last.terms, *names)))[:10],
        centroid=_moved(last, exchange),
    )
    return (*state.topics[:-1], merged)


def _moved(topic: Topic, exchange: Exchange) -> bytes:
    """The running mean of the stretch's message vectors."""
    old, new = unpack(topic.centroid), exchange.vector
    if old is None or new is None or old.shape != new.shape:
        return exchange.message_vector or topic.centroid
    count = exchange.turn - topic.first_turn
    return pack(unit(np.asarray(old * count + new, dtype=np.float32)))
