"""Looks at every rewrite before it is searched, whoever wrote it, and keeps closed and invented things out.

It compares the words of the rewrite with the message, the scope, and everything that was said elsewhere in the session.
Repair comes first, then the rewrite by rules, then the message as typed; a turn is never blocked.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from conversations.domain.classify import Evidence
from conversations.domain.contaminants import Session, foreign_names, foreign_words
from conversations.domain.contextualize import Contextualized
from conversations.domain.display import with_carried
from conversations.domain.entities import terms_of
from conversations.domain.language import Analysis
from conversations.domain.licence import as_understood, licence_for
from conversations.domain.marks import Mark
from conversations.domain.policy import ScopePolicy
from conversations.domain.reading import Reading
from conversations.domain.recalls import without_false_memory
from conversations.domain.repair import is_loose, without_phrases
from conversations.domain.resolve import picked
from conversations.domain.rewrite_form import (
    keeps_a_word,
    leaves_open,
    malformed,
    only_appends,
    repeats,
    states,
)
from conversations.domain.scope import Scope
from conversations.domain.state import ConversationState
from conversations.domain.vectors import Vector, cosine
from conversations.domain.verdicts import Action, Objection, Ruling, Verdict
from conversations.domain.words import GENERIC_KEYS, STOP_KEYS, contains_key, content_of, key_of

Analyse = Callable[[str], Analysis]

# Marks of a message that is no question of its own until what it leans on is put into it.
OPEN = (
    Mark.PRONOUN,
    Mark.ONES,
    Mark.ORDINAL,
    Mark.VERBLESS,
    Mark.ELLIPSIS,
    Mark.UNFINISHED,
    Mark.CONTINUES,
    Mark.CORRECTION,
)
# A rewrite that keeps no word of the message must be so many times as near to it.
WITHOUT_ITS_WORDS = 1.5
FEWEST_WORDS = 2


@dataclass(frozen=True, slots=True)
class _Case:
    """What a rewrite is held against."""

    session: Session
    policy: ScopePolicy
    analyse: Analyse

    @property
    def reading(self) -> Reading:
        return self.session.reading


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
    rules, licence = None, licence_for(reading, scope, state)
    if fallback is not None and contextualized.origin == "model":
        rules = guard(fallback, reading, scope, state, policy, analyse)
        rules = rules if rules.action is not Action.FELL_BACK else None
        licence = licence_for(reading, scope, state, fallback, rules.query if rules else "")
        licence = as_understood(contextualized.query, licence, reading, scope, state)
    case = _Case(Session(reading, scope, state, licence), policy, analyse)
    honest = without_false_memory(contextualized.query, reading, state)
    query, memory = (honest or contextualized.query), _memory_objections(honest, contextualized.query)
    display = _display(contextualized, query, reading, state)
    objections = _objections(query, contextualized, case, query_vector)
    if not objections:
        return _accepted(contextualized, query, memory, display)
    repaired = _repaired(query, objections, case)
    if repaired and not (rules and (_adds_nothing(repaired, case) or _unresolved(analyse(repaired), case))):
        display = _display(contextualized, repaired, reading, state)
        return _ruled(repaired, Action.REPAIRED, contextualized.origin, (*memory, *objections), display)
    if rules is not None:
        return _ruled(rules.query, Action.FELL_BACK, rules.origin, (*memory, *objections), rules.display)
    if repaired:
        display = _display(contextualized, repaired, reading, state)
        return _ruled(repaired, Action.REPAIRED, contextualized.origin, (*memory, *objections), display)
    typed = without_false_memory(reading.core, reading, state) or reading.core
    return _ruled(typed, Action.FELL_BACK, "typed", (*memory, *objections))


def _memory_objections(honest: str | None, query: str) -> tuple[Objection, ...]:
    if honest is None:
        return ()
    kept = set(key_of(honest).split())
    dropped = " ".join(word for word in query.split() if not set(key_of(word).split()) & kept) or query
    return (Objection(Verdict.INVENTED, dropped, "false memory: nobody said so in this session"),)


def _display(contextualized: Contextualized, query: str, reading: Reading, state: ConversationState) -> str:
    """What people are shown of a query: the contextualizer's wording, or the message with what is left of the carried words."""
    if query == contextualized.query:
        return contextualized.display or query
    core = without_false_memory(reading.core, reading, state) or reading.core
    if not query.startswith(core):
        return query
    left = query[len(core) :]
    kept = tuple(term for term in contextualized.added if contains_key(key_of(left), term.key))
    return with_carried(core, kept, contextualized.offered)


def _accepted(
    contextualized: Contextualized, query: str, memory: tuple[Objection, ...], display: str
) -> Ruling:
    if memory:
        return _ruled(query, Action.REPAIRED, contextualized.origin, memory, display)
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
    query: str, contextualized: Contextualized, case: _Case, query_vector: Vector | None = None
) -> tuple[Objection, ...]:
    if contextualized.origin == "typed" or (
        contextualized.origin == "offline" and query == case.reading.core
    ):
        return ()
    reason = malformed(query, case.reading.core, case.policy.budgets.query_characters)
    if reason:
        return (Objection(Verdict.MALFORMED, query[:80], reason),)
    if contextualized.origin == "offline":
        # Made of the message and terms of the scope, it can hold a closed name and nothing worse.
        return foreign_names(key_of(query), case.session)
    analysis = case.analyse(query)
    if states(analysis, case.reading.core):
        return (Objection(Verdict.MALFORMED, query[:80], "an answer instead of a question"),)
    found = _misplaced(analysis, case) or _divergence(analysis, query_vector, case)
    if not found and not contextualized.topic_shift and _unresolved(analysis, case):
        return (Objection(Verdict.MALFORMED, query[:80], "the reference is left as it was"),)
    return found


def _misplaced(query: Analysis, case: _Case) -> tuple[Objection, ...]:
    """What in the rewrite has no business there, whether from elsewhere in the session or from nowhere."""
    names = foreign_names(key_of(query.text), case.session)
    return (*names, *foreign_words(query, case.session, names), *_inventions(query, case))


def _inventions(query: Analysis, case: _Case) -> tuple[Objection, ...]:
    """Names in the rewrite that stand neither in the message nor in the scope, and words in letters that nobody used."""
    session = case.session
    shown = " | ".join(f"{e.message} | {e.query} | {e.answer}" for e in session.scope.exchanges)
    slots = " | ".join(text for slot in session.scope.slots for text in (slot.name, *slot.notes))
    said, query_key = f"{case.reading.text} | {shown} | {slots}", key_of(query.text)
    words, scripts = set(key_of(said).split()), _scripts(said)
    names = [
        term.text
        for term in terms_of(query)
        if term.name and contains_key(query_key, term.key) and not set(term.key.split()) <= words
    ]
    strange = [token.text for token in query.words() if _scripts(token.text) - scripts]
    return tuple(
        Objection(Verdict.INVENTED, text, "named neither in the message nor in the scope")
        for text in dict.fromkeys((*names, *strange))
    )


def _scripts(text: str) -> set[str]:
    """The writing systems of a text's letters: LATIN, CYRILLIC, CJK."""
    letters = {char for char in text if char.isalpha()}
    return {unicodedata.name(char, "").split(" ")[0] for char in letters} - {
        "MASCULINE",
        "FEMININE",
        "MICRO",
        "",
    } | {"LATIN"}


def _divergence(query: Analysis, vector: Vector | None, case: _Case) -> tuple[Objection, ...]:
    """Another question than the message, or the same one in a language that nobody here speaks."""
    reading = case.reading
    if query.language == "other" != reading.analysis.language and not _mostly_known(query, case):
        return (Objection(Verdict.DIVERGED, query.text[:80], "another language than the message"),)
    if repeats(query.text, reading, case.session.state.exchanges):
        return (Objection(Verdict.DIVERGED, query.text[:80], "an earlier question once more"),)
    if vector is None or reading.vector is None or not is_comparable(reading) or _answers_to(query, case):
        return ()
    near = cosine(vector, reading.vector)
    kept = bool(reading.keys & set(key_of(query.text).split())) or bool(reading.ordinals)
    if near >= case.policy.thresholds.diverged * (1.0 if kept else WITHOUT_ITS_WORDS):
        return ()
    return (Objection(Verdict.DIVERGED, query.text[:80], f"similarity {near:.2f} to the message"),)


def is_comparable(reading: Reading) -> bool:
    """Whether a message says enough that a good rewrite must be near it: "yes, please" says too little."""
    return len(reading.keys) >= FEWEST_WORDS


def _answers_to(query: Analysis, case: _Case) -> bool:
    """Whether a rewrite holds what was picked, or a word of the message beside what it is known to refer to.

    The words that take the place of a reference move a short message far, and are no other question for that.
    """
    query_key = key_of(query.text)
    if any(contains_key(query_key, term.key) for term in picked(case.reading, case.session.scope)):
        return True
    licence = case.session.licence
    known = (licence.carried | licence.said) - licence.message - STOP_KEYS - GENERIC_KEYS
    return bool(known & set(query_key.split())) and keeps_a_word(query.text, case.reading)


def _mostly_known(query: Analysis, case: _Case) -> bool:
    words = key_of(query.text).split()
    return sum(word in case.session.licence.words for word in words) > len(words) / 2


def _unresolved(query: Analysis, case: _Case) -> bool:
    """Whether a message with a pronoun was passed on as it was, where the rules know what it refers to."""
    known = case.session.licence.carried - case.session.licence.message
    if only_appends(query, case.reading):
        untouched = key_of(query.text) == key_of(case.reading.core)
        return bool(known) if untouched else not _completes(query, case)
    return bool(known) and leaves_open(query, case.reading) and _adds_nothing(query.text, case)


def _completes(query: Analysis, case: _Case) -> bool:
    """ "What is an example of a pyramid scheme?": a question of its own, with nothing added but what the user spoke of."""
    licence = case.session.licence
    added = content_of(query.text) - licence.message
    whole = not case.reading.has(*OPEN)
    return bool(added) and whole and added <= (licence.carried | licence.asked) - licence.barred


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
    """Whether a rewrite brings nothing of the conversation to a message that needs some."""
    added = set(key_of(query).split()) - case.session.licence.message
    return not added & case.session.licence.words
