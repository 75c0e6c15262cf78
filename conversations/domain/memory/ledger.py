"""Keeps the facts of a session: adds what is new, replaces what is corrected, and picks what a turn may see.

A correction wins always, also over the assistant's later repetitions of the old value, until the user says it again.
Nothing is deleted: a replaced fact stays for the audit, marked with the turn of its correction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import replace
from functools import lru_cache

from conversations.domain.memory.decisions import decision_in
from conversations.domain.memory.facts import RETRACTED
from conversations.domain.memory.items import measure_of
from conversations.domain.memory.matching import barred_keys, names_any, words_shared
from conversations.domain.memory.values import Fact
from conversations.domain.words import STOP_KEYS, contains_key, key_of


def record(
    ledger: tuple[Fact, ...],
    new: tuple[Fact, ...],
    *,
    correction: bool,
    turn: int,
    replaced: tuple[tuple[str, str], ...] = (),
) -> tuple[Fact, ...]:
    """The ledger after a turn's facts. A turn that is in the ledger already changes nothing, so a task may run again.

    `correction`: whether the user's message corrects something said before. `replaced` are (old, new) keys of
    entities of which the new one took the old one's role; it counts for corrections and for new decisions.
    """
    if any(turn in {fact.turn, fact.replaced_in} for fact in ledger):
        return ledger
    own = [fact for fact in new if fact.said_by == "user"]
    told = [fact for fact in new if fact.said_by != "user"]
    after = list(ledger)
    own_values, told_values = {_value(fact) for fact in own}, {_value(fact) for fact in told}
    taken_back = [fact for fact in own if fact.kind == RETRACTED]
    stated = [fact for fact in own if fact.kind != RETRACTED]
    own_values -= {_value(fact) for fact in taken_back}
    if correction or any(fact.kind == "decision" for fact in stated):
        after = [_role_taken(fact, replaced, turn) for fact in after]
    for fact in stated:
        after = _added(after, fact, taken_back, own_values, turn if correction else 0)
    if taken_back:
        after = [_taken_back(fact, taken_back, turn) for fact in after]
    for fact in told:
        after = _told(after, fact, told_values, turn if correction else 0)
    return tuple(after)


def in_scope(
    facts: Iterable[Fact],
    *,
    live: Set[str],
    named: Set[str],
    closed: Set[str],
    message_keys: Set[str],
    limit: int,
) -> tuple[Fact, ...]:
    """The facts a turn may see, most important first, each statement once.

    `live`, `named` (by the message) and `closed` are entity keys, `message_keys` the message's content words. A fact
    that names a closed entity is out unless the message names that entity. Then count, in this order: named
    entities, shared words, live entities, the user's own statements, recency. What none of the first four
    speaks for is left out.
    """
    barred = barred_keys(closed, named)
    words = {word for key in message_keys for word in key.split()} - STOP_KEYS
    ranked: list[tuple[tuple[int, ...], Fact]] = []
    for fact in facts:
        if not fact.holds:
            continue
        text = f"{fact.entity} | {fact.fact}"
        reasons = (
            int(names_any(text, named)),
            words_shared(text, words),
            int(names_any(text, live)),
            int(fact.said_by == "user"),
        )
        if any(reasons) and not names_any(text, barred):
            ranked.append(((*reasons, fact.turn), fact))
    ranked.sort(key=lambda item: item[0], reverse=True)
    return _each_once(fact for _, fact in ranked)[: max(limit, 0)]


def _each_once(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    return tuple({fact.fact: fact for fact in reversed(list(facts))}.values())[::-1]


_value_key = lru_cache(maxsize=4096)(key_of)


def _value(fact: Fact) -> str:
    return _value_key(fact.value)


def _same(left: Fact, right: Fact) -> bool:
    return (left.key, left.attribute, _value(left)) == (right.key, right.attribute, _value(right))


def _added(after: list[Fact], fact: Fact, taken_back: list[Fact], said: Set[str], turn: int) -> list[Fact]:
    """A statement of the user: said again it holds again; in a correction it takes the place of what it contradicts.

    `said` are the values of all of the message's statements, which do not contradict one another. `turn` is that of
    a correction, else 0.
    """
    if turn:
        wrong = _contradicted(after, fact, taken_back, said)
        if wrong:
            fact = _inheriting(fact, wrong[-1])
            after = [_after_correction(old, fact, wrong, taken_back, turn) for old in after]
    known = next((i for i, old in enumerate(after) if old.holds and _same(old, fact)), None)
    if known is None:
        return [*after, fact]
    if after[known].said_by == "user":
        return after
    swapped = replace(fact, chunks=_union(after[known].chunks, fact.chunks))
    return [*after[:known], swapped, *after[known + 1 :]]


def _contradicted(after: list[Fact], fact: Fact, taken_back: list[Fact], said: Set[str]) -> list[Fact]:
    """What a correcting statement takes the place of: what is taken back by name, else the same attribute of the same
    entity, else the user's latest statement of the same measure ("make that 130 people").
    """
    measure = measure_of(fact.value)
    others = [old for old in after if old.holds and _value(old) not in said and old.turn < fact.turn]
    if fact.kind == "decision":
        return _decided_before(others, fact)
    named = [old for old in others if _is_taken_back(old, taken_back) and _comparable(old, fact, measure)]
    if named:
        return named
    alike = [old for old in others if _states_the_same(old, fact, measure)]
    if alike:
        return alike
    own = [old for old in others if old.said_by == "user" and _comparable(old, fact, measure)]
    return own[-1:]


def _decided_before(others: list[Fact], fact: Fact) -> list[Fact]:
    """The latest decision on the same thing, told by shared words; else the latest of all."""
    earlier = [old for old in others if old.kind == "decision" and old.said_by == "user"]
    words = set(_value(fact).split()) - STOP_KEYS
    alike = [old for old in earlier if words & set(_value(old).split())]
    return (alike or earlier)[-1:]


def _states_the_same(old: Fact, fact: Fact, measure: str) -> bool:
    if "decision" in {old.kind, fact.kind} or not fact.attribute:
        return False
    return (old.key, old.attribute) == (fact.key, fact.attribute) and measure_of(old.value) == measure


def _after_correction(old: Fact, new: Fact, wrong: list[Fact], taken_back: list[Fact], turn: int) -> Fact:
    """A corrected fact ends; another value of its sentence holds on, in a sentence that has the corrected value."""
    if not old.holds:
        return old
    if any(old is one for one in wrong):
        return replace(old, replaced_in=turn)
    beside = [one for one in wrong if (one.turn, one.said_by, one.fact) == (old.turn, old.said_by, old.fact)]
    if not beside:
        return old
    if new.kind == "decision":
        return replace(old, replaced_in=turn)
    was, now = _wording(beside[0], new, taken_back)
    return replace(old, fact=old.fact.replace(was, now), value=old.value.replace(was, now))


def _wording(old: Fact, new: Fact, taken_back: list[Fact]) -> tuple[str, str]:
    """What to write for what: where a part of the old value is taken back, "12 July" of "12 July 2025", only that."""
    for wrong in taken_back:
        if wrong.value in old.value:
            return wrong.value, new.value
        if contains_key(_value(old), key_of(_cardinal(wrong.value))):
            return _cardinal(wrong.value), _cardinal(new.value)
    return old.value, new.value


def _comparable(old: Fact, fact: Fact, measure: str) -> bool:
    if fact.kind in {"decision", "constraint"}:
        return old.kind == fact.kind and old.attribute == fact.attribute
    if fact.kind == "name":
        return old.kind == "name" and old.attribute == fact.attribute
    return old.kind == "number" and bool(measure) and measure_of(old.value) == measure


def _inheriting(fact: Fact, old: Fact) -> Fact:
    """ "Actually 2023" says nothing of what it is the year of: it stands where the old value stood."""
    return replace(fact, entity=old.entity, key=old.key, attribute=old.attribute)


def _is_weak(fact: Fact) -> bool:
    """Whether a fact says no more of its attribute than what kind of value it is."""
    return not fact.attribute or fact.attribute == measure_of(fact.value)


def _is_taken_back(old: Fact, taken_back: Iterable[Fact]) -> bool:
    plain = old.said_by == "user" and old.kind in {"number", "name"}
    return plain and any(contains_key(_value(old), key_of(_cardinal(wrong.value))) for wrong in taken_back)


def _cardinal(value: str) -> str:
    """ "the 19th" takes back the 19 of "19 May"."""
    return re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", value)


def _taken_back(old: Fact, taken_back: list[Fact], turn: int) -> Fact:
    return (
        replace(old, replaced_in=turn)
        if old.holds and old.turn < turn and _is_taken_back(old, taken_back)
        else old
    )


def _role_taken(old: Fact, replaced: tuple[tuple[str, str], ...], turn: int) -> Fact:
    """The user's own choice of an entity whose place another took holds no more; what is true of it stays true."""
    chosen = _value(old) if not decision_in(old.fact) else key_of(old.fact)
    gone = any(contains_key(chosen, key) or old.key == key for key, _ in replaced)
    mine = old.said_by == "user" and old.holds and old.turn < turn
    return replace(old, replaced_in=turn) if gone and mine else old


def _told(after: list[Fact], fact: Fact, said: Set[str], turn: int) -> list[Fact]:
    """A statement of the assistant. One that repeats a corrected value is kept for the audit and does not hold."""
    known = next(
        (i for i, old in enumerate(after) if _same(old, fact) and (old.holds or old.turn == fact.turn)), None
    )
    if known is not None:
        merged = replace(after[known], chunks=_union(after[known].chunks, fact.chunks))
        return [*after[:known], merged, *after[known + 1 :]]
    stale = _correction_of(after, fact)
    if stale:
        return [*after, replace(fact, replaced_in=stale)]
    if turn:
        measure = measure_of(fact.value)
        after = [
            replace(old, replaced_in=turn)
            if old.holds and old.said_by != "user" and old.turn < turn and _states_the_same(old, fact, measure)
            and _value(old) not in said
            else old
            for old in after
        ]  # fmt: skip
    return [*after, fact]


def _correction_of(after: list[Fact], fact: Fact) -> int:
    """The turn in which the user corrected this value of the same thing, 0 when it was said by the user since."""
    alike = [old for old in after if _value(old) == _value(fact) and _is_repeated(old, fact)]
    if any(old.holds and old.said_by == "user" for old in alike):
        return 0
    return max((old.replaced_in for old in alike if not old.holds), default=0)


def _is_repeated(old: Fact, fact: Fact) -> bool:
    """Whether a statement with the same value speaks of the same thing."""
    if old.key == fact.key:
        return True
    own = old.said_by == "user" and not _is_weak(old) and contains_key(key_of(fact.fact), old.attribute)
    return own or (old.attribute == fact.attribute and not _is_weak(fact))


def _union(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*old, *new)))
