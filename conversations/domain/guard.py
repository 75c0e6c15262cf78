"""Looks at every rewrite before it is searched, whoever wrote it, and keeps closed and invented things out.

It compares the words of the rewrite with the message, the scope, and everything that was said elsewhere in the session.
Repair comes first, then the rewrite by rules, then the message as typed; a turn is never blocked.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from conversations.domain.classify import Evidence
from conversations.domain.contextualize import Contextualized
from conversations.domain.entities import content_keys, terms_of
from conversations.domain.language import Analysis
from conversations.domain.parallels import RIVALLING, rivals
from conversations.domain.policy import ScopePolicy
from conversations.domain.reading import Reading
from conversations.domain.recalls import without_false_memory
from conversations.domain.repair import without_phrases
from conversations.domain.scope import Scope
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.vectors import Vector, cosine
from conversations.domain.verdicts import Action, Objection, Ruling, Verdict
from conversations.domain.words import contains_key, key_of

Analyse = Callable[[str], Analysis]
_ANSWER = re.compile(
    r"^(?:sure|certainly|of course|yes|no|i'm sorry|i am sorry|as an ai|here (?:is|are)|the answer|based on|according to|i (?:can|cannot|can't|don't|do not))\b",
    re.IGNORECASE,
)
# A question of this many words more than the message is an answer or an essay.
LONGEST_GROWTH = 45


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
    honest = without_false_memory(contextualized.query, reading, state)
    query, memory = (honest or contextualized.query), _memory_objections(honest, contextualized.query)
    objections = _objections(query, contextualized, reading, scope, state, policy, analyse, query_vector)
    if not objections:
        return _accepted(contextualized, query, memory)
    repaired = _repaired(query, objections, reading, scope, state, policy, analyse)
    if repaired and not (fallback and _adds_nothing(repaired, reading)):
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
    dropped = query.replace(honest, "").strip() or query
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
    query: str,
    contextualized: Contextualized,
    reading: Reading,
    scope: Scope,
    state: ConversationState,
    policy: ScopePolicy,
    analyse: Analyse,
    query_vector: Vector | None,
) -> tuple[Objection, ...]:
    if contextualized.origin == "typed" or query == reading.core:
        return ()
    malformed = _malformed(query, reading, policy)
    if malformed:
        return (malformed,)
    found = (*_contaminants(query, reading, scope, state), *_inventions(query, reading, scope, analyse))
    if not found and contextualized.origin == "model" and query_vector is not None:
        return _divergence(query, query_vector, reading, policy)
    return found


def _malformed(query: str, reading: Reading, policy: ScopePolicy) -> Objection | None:
    text = query.strip()
    grown = len(text.split()) - len(reading.core.split())
    for wrong, reason in (
        (not text, "empty"),
        ("\n" in text and "\n" not in reading.core, "several lines"),
        (len(text) > max(policy.budgets.query_characters, len(reading.core) + 300), "too long"),
        (grown > LONGEST_GROWTH, "an answer instead of a question"),
        (bool(_ANSWER.match(text)) and not _ANSWER.match(reading.core), "an answer instead of a question"),
        (text[:1] in "{[`" and reading.core[:1] not in "{[`", "not a plain question"),
    ):
        if wrong:
            return Objection(Verdict.MALFORMED, text[:80], reason)
    return None


def _contaminants(
    query: str, reading: Reading, scope: Scope, state: ConversationState
) -> tuple[Objection, ...]:
    """Closed entities, and entities of parts of the conversation that are out of scope."""
    query_key, allowed = key_of(query), _allowed(reading, scope)
    found: dict[str, Objection] = {}
    for name, reason in (
        *_closed_names(scope, reading),
        *_left_names(state, scope),
        *_rival_names(scope, reading),
    ):
        key = key_of(name)
        if not contains_key(query_key, key) or contains_key(reading.text_key, key):
            continue
        if reason.startswith("left") and contains_key(allowed, key):
            continue
        found.setdefault(key, Objection(Verdict.CONTAMINATED, name, reason))
    return tuple(found.values())


def _closed_names(scope: Scope, reading: Reading) -> list[tuple[str, str]]:
    alive = {key_of(slot.name) for slot in scope.slots}
    return [
        (name, f"{slot.status.value} entity")
        for slot in scope.closed
        for name in (slot.name, *slot.aliases)
        if key_of(name) not in alive
    ]


def _rival_names(scope: Scope, reading: Reading) -> list[tuple[str, str]]:
    """Places, dates and people that the message names another of: the old one has no part in its question."""
    if scope.antecedent is None:
        return []
    keys = rivals(reading, scope.antecedent)
    held = (*scope.antecedent.terms, *scope.antecedent.inherited, *scope.antecedent.answer_terms)
    return [
        (term.text, f"the message names another {term.type}")
        for term in held
        if term.key in keys and term.type in RIVALLING
    ]


def _left_names(state: ConversationState, scope: Scope) -> list[tuple[str, str]]:
    shown = {exchange.turn for exchange in _meant(scope)}
    out = [(s.name, "left part of the conversation") for s in state.slots if not s.closed]
    for exchange in state.exchanges:
        if exchange.turn not in shown:
            terms = (*exchange.terms, *exchange.answer_terms)
            out.extend((term.text, "left part of the conversation") for term in terms)
    return out


def _meant(scope: Scope) -> tuple[Exchange, ...]:
    """The shown exchanges that the message can be about: the antecedent's thread."""
    if scope.antecedent is None:
        return ()
    return tuple(e for e in scope.exchanges if e.thread == scope.antecedent.thread)


def _allowed(reading: Reading, scope: Scope) -> str:
    """Everything that a rewrite may take words from, as one key."""
    texts = [reading.text, *(f"{e.message} | {e.query} | {e.answer}" for e in _meant(scope))]
    return key_of(" | ".join(texts))


def _inventions(query: str, reading: Reading, scope: Scope, analyse: Analyse) -> tuple[Objection, ...]:
    """Names in the rewrite that stand neither in the message nor in the scope."""
    shown = " | ".join(f"{e.message} | {e.query} | {e.answer}" for e in scope.exchanges)
    known = f"{key_of(reading.text)} {key_of(shown)} {' '.join(key_of(slot.name) for slot in scope.slots)}"
    words = set(known.split())
    return tuple(
        Objection(Verdict.INVENTED, term.text, "named neither in the message nor in the scope")
        for term in terms_of(analyse(query))
        if term.name and not set(term.key.split()) <= words
    )


def _divergence(query: str, vector: Vector, reading: Reading, policy: ScopePolicy) -> tuple[Objection, ...]:
    near = cosine(vector, reading.vector)
    if reading.vector is None or near >= policy.thresholds.diverged:
        return ()
    return (Objection(Verdict.DIVERGED, query[:80], f"similarity {near:.2f} to the message"),)


def _repaired(
    query: str,
    objections: tuple[Objection, ...],
    reading: Reading,
    scope: Scope,
    state: ConversationState,
    policy: ScopePolicy,
    analyse: Analyse,
) -> str | None:
    if any(o.verdict in {Verdict.MALFORMED, Verdict.DIVERGED} for o in objections):
        return None
    shorter = without_phrases(query, tuple(o.words for o in objections))
    if shorter is None or not content_keys(analyse(shorter)):
        return None
    left = (*_contaminants(shorter, reading, scope, state), *_inventions(shorter, reading, scope, analyse))
    return None if left else shorter


def _adds_nothing(query: str, reading: Reading) -> bool:
    """Whether a repaired rewrite is back to the words of a message that needed more."""
    return set(key_of(query).split()) <= set(reading.text_key.split())
