"""Replays a stored session turn by turn under two policies side by side, through the real pipeline."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Collection, Sequence, Set
from dataclasses import dataclass, field, replace
from uuid import UUID

from conversations.domain.language import Analysis, Language
from conversations.domain.memory.values import Fact, Memory
from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Embedder, Ports
from conversations.domain.prompts import Prompts
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.turn import TurnInput
from conversations.domain.turn_replay import Relived, relive_turn
from conversations.domain.vectors import Vector, cosine, unpack
from conversations.domain.words import contains_key
from conversations.evaluation.what_if import Played, Side, Told
from conversations.selectors.memory import FACTS_LOADED, RECALLED
from conversations.services.thoughts import keys_of

MOST_ARCHIVED = 500
"""Exchanges of one session that a replay can reach back to: bounds its memory, whatever the session's length."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What one side runs under."""

    policy: ScopePolicy
    prompts: Prompts


@dataclass(frozen=True, slots=True)
class Script:
    """A session as it was: its finished turns in order, the ids of those to compare, and its ledger."""

    told: Sequence[Told]
    wanted: Set[UUID]
    facts: Sequence[Fact] = ()


async def played(script: Script, ports: Ports, before: Rules, after: Rules) -> AsyncIterator[Played | None]:
    """After each turn up to the last one wanted: both sides of a wanted one, None for one that only leads there."""
    memo = _Memo(ports.language, ports.embedder)
    shared = replace(ports, language=memo, embedder=memo, pace=None)
    sides = [_Side(rules, shared) for rules in (before, after)]
    left = set(script.wanted)
    for count, told in enumerate(script.told, 1):
        if not left:
            return
        is_wanted = told.turn_id in left
        memory = memory_before(script.facts, count)
        one, other = [await side.play(told, memory, search=is_wanted) for side in sides]
        memo.forget()
        left.discard(told.turn_id)
        yield Played(told, Side.of(one), Side.of(other)) if is_wanted else None


def memory_before(facts: Sequence[Fact], turn: int) -> Memory:
    """The ledger as it stood when this turn began: later facts are not known yet, later corrections not made yet."""
    known = [fact for fact in facts if fact.turn < turn]
    held = [replace(fact, replaced_in=0) if fact.replaced_in >= turn else fact for fact in known]
    return Memory(facts=tuple(held[-FACTS_LOADED:]), covered=turn - 1)


class _Side:
    """One session under one side's rules."""

    def __init__(self, rules: Rules, ports: Ports) -> None:
        self._archive = ReplayedArchive()
        self._ports = replace(ports, prompts=rules.prompts, archive=self._archive)
        self._policy, self._state = rules.policy, ConversationState()

    async def play(self, told: Told, memory: Memory, *, search: bool) -> Relived:
        given = TurnInput(
            told.message, self._state, self._policy, memory=memory, idle_seconds=told.idle_seconds
        )
        relived = await relive_turn(given, told.answer, told.chunks, self._ports, search=search)
        self._state = relived.state
        self._archive.add(relived.state.exchanges[-1])
        return relived


@dataclass(slots=True)
class ReplayedArchive:
    """The exchanges of a replay, found as `selectors.memory` finds stored ones (port `Archive`)."""

    _known: deque[Exchange] = field(default_factory=lambda: deque(maxlen=MOST_ARCHIVED))

    def add(self, exchange: Exchange) -> None:
        self._known.append(exchange)

    async def naming(self, keys: Collection[str], before: int) -> tuple[Exchange, ...]:
        about = [
            e for e in self._before(before) if any(contains_key(own, k) for own in keys_of(e) for k in keys)
        ]
        return tuple(about[:RECALLED])

    async def nearest(self, vector: Vector | None, before: int) -> tuple[Exchange, ...]:
        scored = [(cosine(vector, _vector(one)), one.turn, one) for one in self._before(before)]
        best = sorted(scored, key=lambda item: item[:2], reverse=True)[:RECALLED]
        near = [exchange for score, _, exchange in best if score > 0]
        return tuple(sorted(near, key=lambda exchange: -exchange.turn))

    async def opening(self, count: int) -> tuple[Exchange, ...]:
        return tuple(self._before(count + 1))

    def _before(self, turn: int) -> list[Exchange]:
        return [exchange for exchange in reversed(self._known) if exchange.turn < turn]


def _vector(exchange: Exchange) -> Vector | None:
    return unpack(exchange.query_vector or exchange.message_vector)


class _Memo:
    """Both sides read the same message and the same answer: each text is analysed and embedded once a turn."""

    def __init__(self, language: Language, embedder: Embedder) -> None:
        self._language, self._embedder = language, embedder
        self._analyses: dict[str, Analysis] = {}
        self._vectors: dict[str, Vector] = {}

    def analyse(self, text: str) -> Analysis:
        if text not in self._analyses:
            self._analyses[text] = self._language.analyse(text)
        return self._analyses[text]

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            self._vectors |= dict(zip(missing, await self._embedder.embed(missing), strict=True))
        return [self._vectors[text] for text in texts]

    def forget(self) -> None:
        self._analyses.clear()
        self._vectors.clear()
