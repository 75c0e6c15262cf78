"""Ports of a turn without a database, a network or a model."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from conversations.adapters.language.spacy_en import SpacyEnglish
from conversations.domain.answer import Passage
from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Candidate, ModelReply, Ports
from conversations.domain.state import ConversationState
from conversations.domain.turn import TurnInput, run_turn
from conversations.domain.turn_events import AnswerPiece, QueryDecided, SourcesFound, TurnEvent, TurnFinished
from conversations.domain.window import estimate_tokens
from conversations.domain.words import key_of
from retrieval.adapters.embeddings.local_minilm import LocalMiniLM

PASSAGES = (
    Passage(
        "c1",
        "d1",
        "Regions",
        ("Frankfurt",),
        None,
        "In Frankfurt the RPO is 5 minutes and the RTO is 1 hour.",
        0.9,
    ),
    Passage(
        "c2",
        "d1",
        "Regions",
        ("Dublin",),
        None,
        "In Dublin the RPO is 15 minutes and the RTO is 4 hours.",
        0.8,
    ),
    Passage("c3", "d2", "Keys", (), None, "Customer-managed keys cost 3 euros per key and month.", 0.7),
)


@lru_cache(maxsize=1)
def language() -> SpacyEnglish:
    return SpacyEnglish()


@lru_cache(maxsize=1)
def minilm() -> LocalMiniLM:
    return LocalMiniLM(threads=1)


@lru_cache(maxsize=4096)
def vector_of(text: str) -> Any:
    """By the local model, once for a text: talks of these tests say the same things over and over. Nobody writes to it."""
    row = np.asarray(minilm().embed_query(text), dtype=np.float32)
    row.flags.writeable = False
    return row


class Embedder:
    """The local model, which needs no network."""

    async def embed(self, texts: Sequence[str]) -> list[Any]:
        return [vector_of(text) for text in texts]


@dataclass
class Shelf:
    """Returns every passage, best match by shared words first, and remembers what it was asked."""

    shelf: tuple[Passage, ...] = PASSAGES
    asked: list[Any] = field(default_factory=list)
    hidden: frozenset[str] = frozenset()

    async def search(self, plan: Any) -> tuple[Candidate, ...]:
        self.asked.append(plan)
        words = set(key_of(plan.queries[0].text).split())
        seen = [p for p in self.shelf if p.chunk_id not in self.hidden]
        ranked = sorted(seen, key=lambda p: -len(words & set(key_of(p.text).split())))
        return tuple(Candidate(p, dense_rank=n) for n, p in enumerate(ranked, 1))

    async def closest(self, text: str, limit: int) -> tuple[Candidate, ...]:
        return ()

    async def nearness(self, vector: Any, chunk_ids: Any) -> dict[str, Any]:
        return {}

    async def permitted(self, chunk_ids: Any) -> frozenset[str]:
        return frozenset(chunk_ids) - self.hidden

    async def passages(self, chunk_ids: Any) -> tuple[Passage, ...]:
        return tuple(p for p in self.shelf if p.chunk_id in set(chunk_ids) - self.hidden)

    @property
    def searched(self) -> list[str]:
        return [query.text for plan in self.asked for query in plan.queries]


@dataclass
class Model:
    """A chat model made of canned behaviour. `rewrite` gets the messages and returns the reply's text."""

    answer: Sequence[str] = ("The RPO is ", "5 minutes [1].")
    rewrite: Any = None
    fails_rewriting: Exception | None = None
    fails_after: int | None = None
    error: Exception | None = None
    hangs: bool = False
    calls: list[Any] = field(default_factory=list)
    label: str = "test-model"

    async def reply(self, messages: Sequence[dict[str, str]], schema: dict[str, Any]) -> ModelReply:
        self.calls.append(("reply", messages))
        if self.fails_rewriting:
            raise self.fails_rewriting
        text = self.rewrite(messages) if self.rewrite else json.dumps({"query": "what about Dublin RPO"})
        return ModelReply(text)

    async def aclose(self) -> None:
        return None

    async def stream(self, messages: Sequence[dict[str, str]]) -> AsyncIterator[str]:
        self.calls.append(("stream", messages))
        for number, piece in enumerate(self.answer):
            if self.error and number == (self.fails_after or 0):
                raise self.error
            yield piece
        if self.hangs:
            await asyncio.sleep(60)


async def beside(work: Any) -> Any:
    return work()


def ports(*, shelf: Shelf | None = None, model: Model | None = None, **more: Any) -> Ports:
    return Ports(
        language=language(),
        offload=beside,
        embedder=Embedder(),
        retriever=shelf or Shelf(),
        clock=lambda: time.perf_counter() * 1000,
        count_tokens=estimate_tokens,
        model=model,
        **more,
    )


@dataclass
class Heard:
    """All events of a turn, with the text a person would have in front of them at the end."""

    events: list[TurnEvent]

    @property
    def decided(self) -> QueryDecided:
        return next(e for e in self.events if isinstance(e, QueryDecided))

    @property
    def sources(self) -> SourcesFound:
        return next(e for e in self.events if isinstance(e, SourcesFound))

    @property
    def end(self) -> TurnFinished:
        assert isinstance(self.events[-1], TurnFinished)
        return self.events[-1]

    @property
    def seen(self) -> str:
        text = ""
        for event in self.events:
            if isinstance(event, AnswerPiece):
                text = text[: event.at] + event.text
        return text


def say(
    message: str,
    given: Ports,
    state: ConversationState | None = None,
    policy: ScopePolicy | None = None,
    **more: Any,
) -> Heard:
    async def run() -> list[TurnEvent]:
        turn = TurnInput(message, state or ConversationState(), policy or ScopePolicy(), **more)
        return [event async for event in run_turn(turn, given)]

    return Heard(asyncio.run(run()))


def talk(*messages: str, given: Ports) -> list[Heard]:
    """A conversation: each turn starts from what the one before remembered."""
    state, heard = ConversationState(), []
    for message in messages:
        heard.append(say(message, given, state))
        state = heard[-1].end.state
    return heard
