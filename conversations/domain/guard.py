"""Looks at every rewrite before it is searched, whoever wrote it, and keeps closed and invented things out.

It compares the words of the rewrite with the message, the scope, and everything that was said elsewhere in the session.
Repair comes first, then the rewrite by rules, then the message as typed; a turn is never blocked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from conversations.domain.classify import Evidence
from conversations.domain.contaminants import allowed_key, foreign_names, foreign_words
from conversations.domain.contextualize import Contextualized
from conversations.domain.entities import terms_of
from conversations.domain.language import Analysis
from conversations.domain.policy import ScopePolicy
from conversations.domain.reading import Reading
from conversations.domain.recalls import without_false_memory
from conversations.domain.repair import is_loose, without_phrases
from conversations.domain.scope import Scope
from conversations.domain.state import ConversationState
from conversations.domain.vectors import Vector, cosine
from conversations.domain.verdicts import Action, Objection, Ruling, Verdict
from conversations.domain.words import key_of

Analyse = Callable[[str], Analysis]
_ANSWER = re.compile(
    r"^(?:sure|certainly|of course|yes|no|i'm sorry|i am sorry|as an ai|here (?:is|are)|the answer|based on|according to|i (?:can|cannot|can't|don't|do not))\b",
    re.IGNORECASE,
)
# A question of this many words more than the message is an answer or an essay.
LONGEST_GROWTH = 45

# A rewrite that keeps no word of the message must be so many times as near to it.
WITHOUT_ITS_WORDS = 1.5
FEWEST_WORDS = 2


@dataclass(frozen=True, slots=True)
class _Case:
    """What a rewrite is held against."""

    reading: Reading
    scope: Scope
    state: ConversationState
    policy: ScopePolicy
    analyse: Analyse


def guard(
    contextualized: Contextualized,
    reading: Reading,
    scope: Scope,
    state: ConversationState,
    policy: ScopePolicy,
    analyse: Analyse,
    fallback: Contextualized | None = None,
    query_vector: Vector | None = None,
) -> Ruling:
    """The query for retrieval with its verdict. `fallback` is the rewrite by rules over the same scope.

    `query_vector` is the unit embedding of the rewrite where it is known; without it divergence is not judged.
    """
    case = _Case(reading, scope, state, policy, analyse)
    honest = without_false_memory(contextualized.query, reading, state)
    query, memory = (honest or contextualized.query), _memory_objections(honest, contextualized.query)
    objections = _objections(query, contextualized.origin, case, query_vector)
    if not objections and fallback is not None and _unresolved(contextualized, fallback, case):
        objections = (Objection(Verdict.MALFORMED, query[:80], "the reference is left as it was"),)
    if not objections:
        return _accepted(contextualized, query, memory)
    repaired = _repaired(query, objections, case)
    if repaired and not (fallback and _adds_nothing(repaired, case)):
        return _ruled(repaired, Action.REPAIRED, contextualized.origin, (*memory, *objections))
    if fallback is not None and fallback.query != contextualized.query:
        again = guard(fallback, reading, scope, state, policy, analyse)
        if again.action is not Action.FELL_BACK:
            return _ruled(
                again.query, Action.FELL_BACK, fallback.origin, (*memory, *objections), fallback.display
            )
    if repaired:
        return _ruled(repaired, Action.REPAIRED, contextualized.origin, (*memory, *objections))
    typed = without_false_memory(reading.core, reading, state) or reading.core
    return _ruled(typed, Action.FELL_BACK, "typed", (*memory, *objections))


def _memory_objections(honest: str | None, query: str) -> tuple[Objection, ...]:
    if honest is None:
        return ()
    kept = set(key_of(honest).split())
    dropped = " ".join(word for word in query.split() if not set(key_of(word).split()) & kept) or query
    return (Objection(Verdict.INVENTED, dropped, "false memory: nobody said so in this session"),)


def _accepted(contextualized: Contextualized, query: str, memory: tuple[Objection, ...]) -> Ruling:
    if memory:
        return _ruled(query, Action.REPAIRED, contextualized.origin, memory)
    display = contextualized.display or query
    return Ruling(query, origin=contextualized.origin, evidence=contextualized.evidence, display=display)


def _ruled(
    query: str, action: Action, origin: str, objections: tuple[Objection, ...], display: str = ""
) -> Ruling:
    evidence = tuple(Evidence(o.verdict.value, f"{o.words}: {o.reason}") for o in objections)
    offending = tuple(dict.fromkeys(o.words for o in objections))
    return Ruling(
        query, objections[0].verdict, action, origin, objections, offending, evidence, display or query
    )


def _objections(
    query: str, origin: str, case: _Case, query_vector: Vector | None = None
) -> tuple[Objection, ...]:
    if origin == "typed" or query == case.reading.core:
        return ()
    malformed = _malformed(query, case)
    if malformed:
        return (malformed,)
    if origin == "offline":
        # Made of the message and terms of the scope, it can hold a closed name and nothing worse.
        return foreign_names(key_of(query), case.reading, case.scope, case.state)
    analysis = case.analyse(query)
    return _misplaced(analysis, case) or _divergence(analysis, query_vector, case)


def _misplaced(query: Analysis, case: _Case) -> tuple[Objection, ...]:
    """What in the rewrite has no business there, whether from elsewhere in the session or from nowhere."""
    names = foreign_names(key_of(query.text), case.reading, case.scope, case.state)
    words = foreign_words(query, case.reading, case.scope, case.state, names)
    return (*names, *words, *_inventions(query, case))


def _malformed(query: str, case: _Case) -> Objection | None:
    text, core = query.strip(), case.reading.core
    grown = len(text.split()) - len(core.split())
    for wrong, reason in (
        (not text, "empty"),
        ("\n" in text and "\n" not in core, "several lines"),
        (len(text) > max(case.policy.budgets.query_characters, len(core) + 300), "too long"),
        (grown > LONGEST_GROWTH, "an answer instead of a question"),
        (bool(_ANSWER.match(text)) and not _ANSWER.match(core), "an answer instead of a question"),
        (text[:1] in "{[`" and core[:1] not in "{[`", "not a plain question"),
    ):
        if wrong:
            return Objection(Verdict.MALFORMED, text[:80], reason)
    return None


def _inventions(query: Analysis, case: _Case) -> tuple[Objection, ...]:
    """Names in the rewrite that stand neither in the message nor in the scope."""
    shown = " | ".join(f"{e.message} | {e.query} | {e.answer}" for e in case.scope.exchanges)
    slots = " ".join(key_of(text) for slot in case.scope.slots for text in (slot.name, *slot.notes))
    words = set(f"{key_of(case.reading.text)} {key_of(shown)} {slots}".split())
    return tuple(
        Objection(Verdict.INVENTED, term.text, "named neither in the message nor in the scope")
        for term in terms_of(query)
        if term.name and not set(term.key.split()) <= words
    )


def _divergence(query: Analysis, vector: Vector | None, case: _Case) -> tuple[Objection, ...]:
    """Another question than the message, or the same one in a language that nobody here speaks."""
    if query.language == "other" != case.reading.analysis.language and not _mostly_known(query, case):
        return (Objection(Verdict.DIVERGED, query.text[:80], "another language than the message"),)
    if vector is None or case.reading.vector is None or not is_comparable(case.reading):
        return ()
    near = cosine(vector, case.reading.vector)
    kept = bool(case.reading.keys & set(key_of(query.text).split())) or bool(case.reading.ordinals)
    if near >= case.policy.thresholds.diverged * (1.0 if kept else WITHOUT_ITS_WORDS):
        return ()
    return (Objection(Verdict.DIVERGED, query.text[:80], f"similarity {near:.2f} to the message"),)


def is_comparable(reading: Reading) -> bool:
    """Whether a message says enough that a good rewrite must be near it: "yes, please" says too little."""
    return len(reading.keys) >= FEWEST_WORDS


def _mostly_known(query: Analysis, case: _Case) -> bool:
    words, known = (
        key_of(query.text).split(),
        set(allowed_key(case.reading, case.scope, case.state.slots).split()),
    )
    return sum(word in known for word in words) > len(words) / 2


def _unresolved(contextualized: Contextualized, fallback: Contextualized, case: _Case) -> bool:
    """Whether a model passed a message with a pronoun on as it was, where the rules know what it refers to."""
    if contextualized.origin != "model" or contextualized.topic_shift:
        return False
    passed_on = case.reading.keys <= set(key_of(contextualized.query).split())
    if not passed_on or not (case.reading.strong or case.reading.leaning):
        return False
    return fallback.query != case.reading.core and _adds_nothing(contextualized.query, case)


def _repaired(query: str, objections: tuple[Objection, ...], case: _Case) -> str | None:
    if any(o.verdict in {Verdict.MALFORMED, Verdict.DIVERGED} for o in objections):
        return None
    analysis, wrong = case.analyse(query), tuple(dict.fromkeys(o.words for o in objections))
    if not all(is_loose(words, analysis) for words in wrong):
        return None
    shorter = without_phrases(query, wrong)
    if shorter is None or not terms_of(case.analyse(shorter)):
        return None
    return None if _misplaced(case.analyse(shorter), case) else shorter


def _adds_nothing(query: str, case: _Case) -> bool:
    """Whether a repaired rewrite brings nothing of the conversation to a message that needed some."""
    added = set(key_of(query).split()) - set(case.reading.text_key.split())
    return not added & set(allowed_key(case.reading, case.scope, case.state.slots).split())
