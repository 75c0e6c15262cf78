"""Decides what kind of turn a message is, and whether it needs the conversation to be understood.

Cheap evidence comes first: announcing phrases, words that refer, ellipsis, corrections, names, nearness to earlier turns.
A message that stands on its own is left alone, so no model is called and nothing can be welded on to it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from enum import StrEnum

from conversations.domain.acknowledging import only_acknowledges
from conversations.domain.affinity import Affinity, rank
from conversations.domain.amending import typed_again
from conversations.domain.asked_before import asked_before
from conversations.domain.comparing import comparison
from conversations.domain.completeness import is_complete, is_for_a_search_box, own_terms, tells_its_own_story
from conversations.domain.cues import CueKind
from conversations.domain.entities import names_slot
from conversations.domain.frames import is_frame, is_own_question
from conversations.domain.marks import Mark
from conversations.domain.openness import candidates, not_evicted, other_threads
from conversations.domain.policy import ScopePolicy, Thresholds
from conversations.domain.reading import Reading
from conversations.domain.small_talk import is_affirmative, is_negative, is_small_talk
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.swapping import asked_of_the_next, swap
from conversations.domain.wanted import there_of
from conversations.domain.words import GENERIC_KEYS, key_of


class Kind(StrEnum):
    OPENING = "opening"
    STANDALONE = "standalone"
    FOLLOW_UP = "follow_up"
    TOPIC_SHIFT = "topic_shift"
    PARTIAL_SHIFT = "partial_shift"
    TOPIC_RETURN = "topic_return"
    CORRECTION = "correction"
    ANSWER_TO_QUESTION = "answer_to_question"
    SMALL_TALK = "small_talk"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason: what was seen, where, and how much it weighed (0 for a mere fact)."""

    sign: str
    detail: str = ""
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Classification:
    """The kind of a turn, whether it depends on earlier ones, why, and how near each open exchange is.

    `named` are the ids of the slots that the message names, whatever their state. `margin` is by how much the
    nearest exchange is nearer than a message of this form needs to depend on it, None where the form decides.
    `by_passages`: nothing but the passages that the exchange was answered from says that it depends on it.
    """

    kind: Kind
    dependent: bool
    evidence: tuple[Evidence, ...] = ()
    affinities: tuple[Affinity, ...] = ()
    topic_shift: bool = False
    named: tuple[str, ...] = ()
    margin: float | None = None
    by_passages: bool = False

    @property
    def best(self) -> Affinity | None:
        """The nearest exchange by meaning, recency aside."""
        return max(self.affinities, key=lambda item: item.total, default=None)


_QUESTION_WORD = re.compile(
    r"^(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|will|would|should|may|has|have)\b",
    re.IGNORECASE,
)
LONG_MESSAGE = 8
SHORT_REPLY = 6
LONG_REPLY = 10
# How much nearer than a related message a whole question must be before anything is carried into it:
# a long one, a short one, and a short one that is nearest to the exchange just before it.
WHOLE, WHOLE_SHORT, WHOLE_SHORT_NEXT = 0.12, 0.06, -0.06
SHORT_QUESTION = 6
# A question may be asked of another thing so many turns later.
LATELY = 3
REFERENCES = (Mark.PRONOUN, Mark.ONES, Mark.DEMONSTRATIVE, Mark.PLACE)


def classify(reading: Reading, state: ConversationState, policy: ScopePolicy) -> Classification:
    """The kind of the turn with its evidence. Pure and total: any text gets an answer."""
    named = named_slots(reading, state)
    settled = _without_history(reading, state)
    return replace(settled or _in_context(reading, state, policy, named), named=named)


def _in_context(
    reading: Reading, state: ConversationState, policy: ScopePolicy, named: tuple[str, ...]
) -> Classification:
    exchanges = usable_exchanges(reading, state, policy, named)
    near = rank(reading, exchanges)
    return (
        _by_cue(reading, state, policy, exchanges, near)
        or _reply(reading, state, near)
        or _correction(reading, state, near)
        or _comparison(reading, state, near)
        or _by_form(reading, state, policy, near)
    )


def _without_history(reading: Reading, state: ConversationState) -> Classification | None:
    answering = state.pending is not None and state.pending.turn == state.turn
    if reading.analysis.language == "none" and not any(char.isdigit() for char in reading.core):
        return Classification(Kind.SMALL_TALK, False, (Evidence("no words"),))
    if is_small_talk(reading.core) and not (answering and is_affirmative(reading.core)):
        return Classification(Kind.SMALL_TALK, False, (Evidence("small talk", reading.core[:60]),))
    if is_negative(reading.core):
        return Classification(Kind.SMALL_TALK, False, (Evidence("declined", reading.core[:60]),))
    if not state.exchanges:
        return Classification(Kind.OPENING, False, (Evidence("first turn"),))
    if not answering and only_acknowledges(reading.text):
        return Classification(Kind.SMALL_TALK, False, (Evidence("acknowledges", reading.text[:60]),))
    if reading.analysis.language == "other":
        return Classification(
            Kind.STANDALONE, False, (Evidence("language", "not English: passes unchanged"),)
        )
    return None


def _by_cue(
    reading: Reading,
    state: ConversationState,
    policy: ScopePolicy,
    exchanges: tuple[Exchange, ...],
    near: tuple[Affinity, ...],
) -> Classification | None:
    cue = reading.cue
    if cue.kind is CueKind.PIVOT:
        announced = len(key_of(reading.core[: cue.lead]).split())
        leans = reading.has(*REFERENCES) and len(reading.keys) <= SHORT_QUESTION + announced
        if cue.named and not leans:
            return None
        kind = Kind.PARTIAL_SHIFT if leans else Kind.TOPIC_SHIFT
        return Classification(
            kind, leans, (Evidence("pivot phrase", cue.phrase, 1.0),), near, topic_shift=not leans
        )
    if cue.place is not None:
        return _by_place(reading, state)
    if cue.kind is CueKind.RETURN:
        elsewhere = () if cue.named else other_threads(exchanges, state)
        evidence = (Evidence("return phrase", cue.phrase, 1.0),)
        return Classification(Kind.TOPIC_RETURN, True, evidence, rank(reading, elsewhere or exchanges))
    return None


def _by_place(reading: Reading, state: ConversationState) -> Classification | None:
    """ "The second question": a return to that turn; nothing is taken along where nothing was asked there."""
    meant, pointing = asked_before(reading, state), reading.cue.phrase or reading.core[:60]
    if meant is None:
        return None
    if not meant:
        return Classification(Kind.STANDALONE, False, (Evidence("points at no question", pointing),))
    return Classification(
        Kind.TOPIC_RETURN, True, (Evidence("points at a question", pointing, 1.0),), rank(reading, meant)
    )


def _reply(reading: Reading, state: ConversationState, near: tuple[Affinity, ...]) -> Classification | None:
    pending = state.pending
    if pending is None or pending.turn != state.turn:
        return None
    words = reading.core.split()
    bare = not any(token.pos in {"VERB", "AUX"} for token in reading.analysis.tokens)
    short = (
        len(words) <= (LONG_REPLY if bare else SHORT_REPLY)
        and not _QUESTION_WORD.match(reading.core)
        and "?" not in reading.core
    )
    if short:
        return Classification(
            Kind.ANSWER_TO_QUESTION, True, (Evidence("assistant asked", pending.text, 1.0),), near
        )
    return None


def _correction(
    reading: Reading, state: ConversationState, near: tuple[Affinity, ...]
) -> Classification | None:
    if reading.has(Mark.CORRECTION):
        return Classification(Kind.CORRECTION, True, _evidence(reading), near)
    wrong = typed_again(reading.core, state.spoken[-1]) if state.spoken else ""
    return Classification(Kind.CORRECTION, True, (Evidence("typed again", wrong),), near) if wrong else None


def _comparison(
    reading: Reading, state: ConversationState, near: tuple[Affinity, ...]
) -> Classification | None:
    """ "Which is better?" after two things were named means the two, whatever else is near."""
    found = comparison(reading, not_evicted(state))
    if found is None:
        return None
    sides = Evidence("compares", ", ".join(side.text for side in found.sides), 1.0)
    return Classification(Kind.FOLLOW_UP, True, (*_evidence(reading), sides), near)


def _by_form(
    reading: Reading, state: ConversationState, policy: ScopePolicy, near: tuple[Affinity, ...]
) -> Classification:
    limits = policy.thresholds
    nearest = max(near, key=lambda item: item.total, default=None)
    best = nearest.total if nearest else 0.0
    evidence = (*_evidence(reading), Evidence("affinity", f"turn {nearest.turn if nearest else 0}", best))
    if not near:
        return Classification(Kind.TOPIC_SHIFT, False, evidence, near, topic_shift=True)
    if _new_aspect(reading) and best < limits.unrelated:
        return Classification(Kind.PARTIAL_SHIFT, True, evidence, near)
    last = state.spoken[-1] if state.spoken else None
    # Who was told nothing asks something else, more often than more of the same.
    adjacent = nearest is not None and last is not None and nearest.turn == last.turn and bool(last.answer)
    alone = is_own_question(reading) and not any(
        swap(reading, exchange) for exchange in state.spoken[-LATELY:]
    )
    needed = limits.related + WHOLE if alone else _needed(reading, limits, adjacent)
    if asked_of_the_next(reading, state.spoken[-LATELY:]):
        needed = float("-inf")
    open_to_doubt = math.isfinite(needed) and not reading.strong
    found = Classification(
        Kind.FOLLOW_UP, True, evidence, near, margin=best - needed if open_to_doubt else None
    )
    if best < needed and there_of(reading, last):
        return replace(found, kind=Kind.PARTIAL_SHIFT, margin=None)
    return found if best >= needed else taken_alone(found, limits)


def taken_alone(found: Classification, limits: Thresholds) -> Classification:
    """The same message taken as a question of its own."""
    shift = found.best is not None and found.best.total < limits.unrelated
    kind = Kind.TOPIC_SHIFT if shift else Kind.STANDALONE
    return replace(found, kind=kind, dependent=False, topic_shift=shift)


def _needed(reading: Reading, limits: Thresholds, adjacent: bool) -> float:
    """The affinity from which a message of this form counts as dependent; references need none."""
    long = len(reading.keys) > LONG_MESSAGE
    if tells_its_own_story(reading) or (reading.headed and not reading.strong):
        return float("inf")
    if reading.strong:
        return limits.unrelated if long else float("-inf")
    if is_frame(reading) or (reading.has(Mark.UNFINISHED) and not long):
        return float("-inf")
    if reading.has(Mark.PLACE) and not long:
        return float("-inf")
    if is_complete(reading):
        short = WHOLE_SHORT_NEXT if adjacent else WHOLE_SHORT
        return limits.related + (short if reading.has(Mark.SHORT, Mark.DEFINITE) else WHOLE)
    if is_for_a_search_box(reading):
        return limits.related + WHOLE
    if not reading.weak or long:
        return (limits.related + limits.unrelated) / 2 if reading.has(Mark.DEFINITE) else limits.related
    if reading.has(Mark.ELLIPSIS) and _has_clause(reading):
        return limits.related + WHOLE
    if reading.leaning or not has_subject(reading):
        bare_noun = len(reading.keys) <= 1 and not any(term.name for term in reading.terms)
        unfinished = reading.has(Mark.ELLIPSIS) or (
            reading.has(Mark.VERBLESS) and (bare_noun or reading.has(Mark.CONTINUES))
        )
        return float("-inf") if unfinished else limits.unrelated / 2
    return (limits.related + limits.unrelated) / 2


def _has_clause(reading: Reading) -> bool:
    """ "What about discounts if I commit for three years": the new subject brings a predicate of its own."""
    said = [t for t in reading.analysis.tokens if t.pos == "VERB" and t.dep in {"advcl", "relcl", "acl"}]
    return bool(said) and bool(own_terms(reading))


def _new_aspect(reading: Reading) -> bool:
    """ "What about customer-managed keys?": an ellipsis that brings a specific subject of its own."""
    same = any(mark is Mark.ELLIPSIS and "same" in word.lower() for mark, word in reading.marks)
    if not reading.has(Mark.ELLIPSIS) or reading.has(Mark.UNFINISHED) or same or reading.strong:
        return False
    if _A_KIND.match(reading.core.strip()):
        return False
    return any(" " in term.key for term in reading.terms)


# "What about a family room?", "and for a washing machine?": another thing of a kind, not another aspect.
_A_KIND = re.compile(
    r"^(?:(?:and|but|or|so|ok(?:ay)?)[\s,]+)*(?:(?:what|how)\s+about\s+)?(?:(?:for|in|on|with|to|from|at)\s+)?an?\s",
    re.IGNORECASE,
)


def has_subject(reading: Reading) -> bool:
    """Whether the message is a clause with a noun of its own to be about."""
    verb = any(token.pos in {"VERB", "AUX"} for token in reading.analysis.tokens)
    return verb and bool(reading.terms)


def _evidence(reading: Reading) -> tuple[Evidence, ...]:
    return tuple(Evidence(mark.value, word) for mark, word in reading.marks)


def usable_exchanges(
    reading: Reading, state: ConversationState, policy: ScopePolicy, named: tuple[str, ...]
) -> tuple[Exchange, ...]:
    """The exchanges that this message may refer to: the open ones, and closed ones that it names or describes."""
    return candidates(state, policy, named, described_words(reading))


# Marks of a wording that points back at something by describing it.
DESCRIBING = (Mark.DEFINITE, Mark.DEMONSTRATIVE, Mark.RECALLS, Mark.ONES)


def described_words(reading: Reading) -> frozenset[str]:
    """The words that may point back at something closed: names, and what a described thing is described by."""
    names = frozenset(word for t in reading.terms if t.name for word in t.key.split())
    pointing = reading.has(*DESCRIBING) or reading.cue.kind is CueKind.RETURN
    if not pointing:
        return names & reading.keys
    return reading.keys - GENERIC_KEYS


def named_slots(reading: Reading, state: ConversationState) -> tuple[str, ...]:
    """Ids of the slots that the message names, whatever their state."""
    return tuple(s.id for s in state.slots if names_slot(s.name, s.type, reading.analysis, reading.text_key))
