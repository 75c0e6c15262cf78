"""What memory adds to a turn: exchanges brought back from the archive, and notes, summary and facts for the answer.

The archive is asked only when the message names something that has left the session's state, or points back.
Nothing about a closed entity that the message does not name, and nothing the person may no longer see, comes along.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypedDict

from conversations.domain.affinity import rank
from conversations.domain.asked_before import turns_up_to
from conversations.domain.authorize import chunks_of
from conversations.domain.claims import Recollection
from conversations.domain.classify import Classification, Kind, named_slots
from conversations.domain.contextualize import Contextualized
from conversations.domain.corrections import is_correction
from conversations.domain.cues import CueKind
from conversations.domain.liveness import Status
from conversations.domain.marks import Mark
from conversations.domain.memory.facts import values_taken_back
from conversations.domain.memory.ledger import in_scope
from conversations.domain.memory.matching import names_any, words_shared
from conversations.domain.memory.notes import corrected_pairs, correction_note, resume_note
from conversations.domain.memory.showing import shown
from conversations.domain.memory.values import Fact, Memory
from conversations.domain.pointing import points_at_first, sums_up
from conversations.domain.ports import Candidate, Ports, Retriever
from conversations.domain.reading import Reading
from conversations.domain.scope import Scope
from conversations.domain.search_plan import SearchPlan
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.window import Background, Budgets
from conversations.domain.words import contains_key, key_of

RECALLED = 3
FACTS = 12
FIRST_TURNS = 2
CARRIED = 2
EARLY = 4
# The turns after a correction in which what it corrected may still be shown.
CORRECTED = 2


@dataclass(frozen=True, slots=True)
class Sought:
    """What to ask the archive for: exchanges about `keys` before turn `before`, the nearest `by_meaning`, or so many
    of the `opening` ones."""

    keys: frozenset[str]
    by_meaning: bool
    before: int
    opening: int = 0


def seek(reading: Reading, state: ConversationState) -> Sought | None:
    """What the message asks of the archive; None when everything it can mean is in the state."""
    before = state.exchanges[0].turn if state.exchanges else 0
    if before <= 1 or reading.analysis.language != "en":
        return None
    if reading.cue.place is not None and not reading.cue.place.of_that:
        opening = turns_up_to(reading.cue.place)
        return Sought(frozenset(), by_meaning=False, before=before, opening=opening) if opening else None
    if points_at_first(reading):
        return Sought(frozenset(), by_meaning=True, before=min(before, FIRST_TURNS + 1))
    points_back = reading.cue.kind is CueKind.RETURN or reading.has(Mark.RECALLS)
    at_hand = {key_of(slot.name) for slot in state.slots if slot.open}
    named = {term.key for term in reading.terms if (term.name or points_back) and term.key not in at_hand}
    return Sought(frozenset(named), points_back, before) if named or points_back else None


async def recalled(
    reading: Reading, state: ConversationState, ports: Ports, floor: float
) -> tuple[ConversationState, frozenset[str]]:
    """The state with the exchanges that the message reaches back to, and those of their chunks that may be seen.

    What is not named but only near must reach the affinity `floor`.
    """
    archive, sought = ports.archive, seek(reading, state)
    if archive is None or sought is None:
        return state, frozenset()
    if sought.opening:
        found = await archive.opening(min(sought.opening, sought.before - 1))
        chosen = _ahead(state, found)
        return chosen, await ports.retriever.permitted(chunks_of(chosen) - chunks_of(state))
    found = await archive.naming(sought.keys, sought.before) if sought.keys else ()
    if not found and sought.by_meaning:
        found = await archive.nearest(reading.vector, sought.before)
        found = found if points_at_first(reading) else _near(reading, found, floor)
    chosen = with_recalled(state, reading, found)
    fresh = chunks_of(chosen) - chunks_of(state)
    return chosen, await ports.retriever.permitted(fresh) if fresh else frozenset()


def _near(reading: Reading, found: Sequence[Exchange], floor: float) -> tuple[Exchange, ...]:
    near = {item.turn for item in rank(reading, found) if item.total >= floor}
    return tuple(exchange for exchange in found if exchange.turn in near)


def with_recalled(state: ConversationState, reading: Reading, found: Sequence[Exchange]) -> ConversationState:
    """The state with the exchanges found that are nearest to the message, ahead of its own."""
    known = {exchange.turn for exchange in state.exchanges}
    near = rank(reading, [exchange for exchange in found if exchange.turn not in known])[:RECALLED]
    turns = {item.turn for item in near}
    return _ahead(state, [e for e in found if e.turn in turns])


def _ahead(state: ConversationState, found: Sequence[Exchange]) -> ConversationState:
    """The state with the exchanges found before its own, in their order."""
    known = {exchange.turn for exchange in state.exchanges}
    recalled = tuple(sorted((e for e in found if e.turn not in known), key=lambda e: e.turn))
    return replace(
        state,
        exchanges=(*recalled, *state.exchanges),
        recalled=tuple(exchange.turn for exchange in recalled),
    )


def chunks_of_memory(memory: Memory) -> frozenset[str]:
    """Every chunk that summary and facts rest on: what to ask permission for."""
    of_parts = {chunk for part in memory.parts for chunk in part.chunks}
    return frozenset(of_parts | {chunk for fact in memory.facts for chunk in fact.chunks})


def permitted_memory(memory: Memory, permitted: Set[str]) -> Memory:
    """Memory without what rests on passages that may not be seen now. A person's own statements stay their own."""
    parts = tuple(part for part in memory.parts if set(part.chunks) <= permitted)
    facts = tuple(f for f in memory.facts if not f.chunks or set(f.chunks) & permitted)
    return replace(memory, parts=parts, facts=facts)


def goes_on_with(reading: Reading, classification: Classification, scope: Scope) -> tuple[str, ...]:
    """Chunks in hand that a message without words of its own is about: "why?", "tell me more", "yes"."""
    asks_for_more = classification.kind is Kind.ANSWER_TO_QUESTION or reading.has(Mark.COMMENT)
    if scope.antecedent is None or not (asks_for_more or not reading.keys):
        return ()
    return scope.antecedent.chunks[:CARRIED]


async def in_hand(
    reading: Reading,
    classification: Classification,
    scope: Scope,
    found: Sequence[Candidate],
    retriever: Retriever,
) -> tuple[Candidate, ...]:
    """The passages that the antecedent's answer rests on, when the message asks for nothing but more of it."""
    known = {candidate.passage.chunk_id for candidate in found}
    wanted = [chunk for chunk in goes_on_with(reading, classification, scope) if chunk not in known]
    passages = await retriever.passages(wanted) if wanted else ()
    return tuple(Candidate(passage, carried=True) for passage in passages)


def as_reopened(state: ConversationState, reading: Reading) -> ConversationState:
    """What of a session that rested for long the first message may lean on: all of it when it points back or names
    something of it, nothing otherwise. The old request is not taken up by a new one."""
    points_back = reading.strong or reading.cue.kind is CueKind.RETURN or reading.has(Mark.RECALLS)
    return state if points_back or named_slots(reading, state) else replace(state, exchanges=())


def background(
    reading: Reading,
    classification: Classification,
    contextualized: Contextualized,
    state: ConversationState,
    memory: Memory,
    *,
    shown: Sequence[Exchange],
    gap: float,
    count: Callable[[str], int],
    recollection: Recollection | None = None,
) -> Background:
    """Notes, summary and facts for this answer, which is `shown` these exchanges word for word.

    `gap` is the pause in seconds that this message ended, 0 for none; `recollection` is what the record says of a claim.
    """
    if classification.kind is Kind.SMALL_TALK:
        return Background()
    entities = _entities(reading, classification, state)
    recap = sums_up(reading)
    known = _about(memory.facts, entities["named"]) if classification.topic_shift else memory.facts
    open_facts = [f for f in known if not _taken_back(f, reading, contextualized) and _tells(f, reading)]
    facts = in_scope(open_facts, **entities, limit=FACTS)
    told = classification.dependent or recap
    return Background(
        resume_note=resume_note(gap, state.topic.terms if state.topic else ()) if gap else "",
        correction_note=(recollection.note() if recollection else "")
        or _correction(classification, contextualized, reading, state)
        or _corrected_before(memory, shown, state.turn),
        summary=_summary(memory, entities, recap, count) if told else "",
        facts=tuple(_stated(fact) for fact in facts),
    )


class _Entities(TypedDict):
    live: Set[str]
    named: Set[str]
    closed: Set[str]
    message_keys: Set[str]


def _entities(reading: Reading, classification: Classification, state: ConversationState) -> _Entities:
    """Keys of what is live, named by the message, and out of bounds: on a change of subject all that is not named."""
    named = {key_of(slot.name) for slot in state.slots if slot.id in classification.named} | {
        term.key for term in reading.terms
    }
    shut = {key_of(s.name) for s in state.slots if s.closed or classification.topic_shift} - named
    live = {key_of(slot.name) for slot in state.slots if slot.status is Status.LIVE} - shut
    return {"live": live, "named": named, "closed": shut, "message_keys": reading.keys}


def _summary(memory: Memory, entities: _Entities, recap: bool, count: Callable[[str], int]) -> str:
    """A request to sum up the conversation is about all of it, what is closed included."""
    return shown(
        memory.parts,
        closed=frozenset() if recap else entities["closed"],
        named=entities["named"],
        live=entities["live"],
        message_keys=entities["message_keys"],
        budget=Budgets().summary,
        count=count,
    )


_OWN = re.compile(r"\b(?:i|we|us|our|ours|my|me|mine)\b", re.IGNORECASE)


def _tells(fact: Fact, reading: Reading) -> bool:
    """Whether a statement of the user has a part in this turn: it shares a word with it, or the user speaks of themselves.

    "Sorry, I meant the other one" corrects something and tells nothing.
    """
    if fact.said_by != "user":
        return True
    shares = words_shared(fact.fact, reading.keys) > 0
    return (shares or bool(_OWN.search(reading.core))) and not is_correction(fact.fact)


def _taken_back(fact: Fact, reading: Reading, contextualized: Contextualized) -> bool:
    """Whether this very message corrects the fact, which the ledger learns only after the turn."""
    if not reading.has(Mark.CORRECTION):
        return False
    gone = {key_of(wrong) for wrong in values_taken_back(reading.core)} | {
        o for o, _ in contextualized.replaced
    }
    return names_any(fact.fact, gone)


def _about(facts: Sequence[Fact], named: Set[str]) -> tuple[Fact, ...]:
    """A new subject takes nothing along but what was said about what it names itself."""
    return tuple(fact for fact in facts if names_any(f"{fact.entity} | {fact.fact}", named))


def _stated(fact: Fact) -> str:
    return f"The user said: {fact.fact}" if fact.said_by == "user" else fact.fact


def _correction(
    classification: Classification,
    contextualized: Contextualized,
    reading: Reading,
    state: ConversationState,
) -> str:
    if classification.kind is not Kind.CORRECTION:
        return ""
    names = {key_of(slot.name): slot.name for slot in state.slots} | {t.key: t.text for t in reading.terms}
    pairs = [(names.get(old, old), names.get(new, new)) for old, new in contextualized.replaced]
    return correction_note(pairs, reading.text)


def _corrected_before(memory: Memory, shown: Sequence[Exchange], turn: int) -> str:
    """What the last turns corrected, while an exchange is shown that still has the old value."""
    said = key_of(" | ".join(f"{exchange.message} | {exchange.answer}" for exchange in shown))
    pairs = [pair for n in range(turn - CORRECTED + 1, turn + 1) for pair in corrected_pairs(memory.facts, n)]
    wrong = [(old, new) for old, new in pairs if contains_key(said, key_of(old))]
    return correction_note(wrong) if wrong else ""


def told_of(reading: Reading, state: ConversationState, memory: Memory) -> tuple[str, ...]:
    """Ids of open slots of which the message names something distinctive that was said: that counts as a mention.

    Distinctive is a number or a name that was said of one entity only.
    """
    about: dict[str, set[str]] = {}
    for fact in memory.facts:
        if fact.holds and _distinctive(fact) and contains_key(reading.text_key, key_of(fact.value)):
            about.setdefault(key_of(fact.value), set()).add(fact.key)
    entities = [next(iter(keys)) for keys in about.values() if len(keys) == 1]
    return tuple(
        slot.id
        for slot in state.slots
        if slot.status in {Status.LIVE, Status.STALE}
        and any(contains_key(entity, key_of(slot.name)) for entity in entities)
    )


def _distinctive(fact: Fact) -> bool:
    """A value of several letters or digits, written as a number or a name."""
    return any(c.isdigit() or c.isupper() for c in fact.value) and len(key_of(fact.value)) > 2


def nothing_new(
    plan: SearchPlan | None,
    candidates: Sequence[Candidate],
    classification: Classification,
    state: ConversationState,
) -> bool:
    """Whether a search brought only what was shown before although the topic is young: a sign of a stuck search."""
    known = plan is not None and all(c.passage.chunk_id in plan.seen for c in candidates)
    if not known or not candidates or classification.kind in {Kind.TOPIC_RETURN, Kind.CORRECTION}:
        return False
    topic = state.topic
    return topic is not None and topic.last_turn - topic.first_turn < EARLY
