"""Measures where the time of a turn goes: ports that note how long the inner ones take.

What a turn costs by itself is its wall time without computing embeddings and without what a bare client needs to read
the same answers from the same server: the openai client's own work therefore counts as the platform's.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any
from unittest.mock import patch

from django.db.backends.utils import CursorWrapper

from conversations import wiring
from conversations.domain.language import Analysis
from conversations.domain.ports import ChatModel, Message, ModelReply
from retrieval.domain.passages import EmbeddingSpace, Vector
from retrieval.domain.ports import EmbeddingPort
from retrieval.services import equipment, equipped
from tenants.postgres import statements


@dataclass(slots=True)
class Spent:
    """Milliseconds and calls, of one turn or of all."""

    embedding: float = 0.0
    embedding_cpu: float = 0.0
    language: float = 0.0
    model: float = 0.0
    replies: int = 0
    streams: int = 0
    round_trips: int = 0

    def copy(self) -> Spent:
        return replace(self)

    def since(self, before: Spent) -> Spent:
        return Spent(*(getattr(self, f.name) - getattr(before, f.name) for f in fields(self)))


class MeteredEmbeddings:
    """An EmbeddingPort that notes how long the inner one takes."""

    def __init__(self, inner: EmbeddingPort, spent: Spent) -> None:
        self._inner, self._spent = inner, spent

    @property
    def space(self) -> EmbeddingSpace:
        return self._inner.space

    def embed_query(self, text: str) -> Vector:
        with self._noted():
            return self._inner.embed_query(text)

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        with self._noted():
            return self._inner.embed_queries(texts)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        with self._noted():
            return self._inner.embed_passages(texts)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._inner.count_tokens(texts)

    @contextmanager
    def _noted(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.thread_time()
        yield
        self._spent.embedding += (time.perf_counter() - wall) * 1000
        self._spent.embedding_cpu += (time.thread_time() - cpu) * 1000


class MeteredLanguage:
    """A Language that notes how long the inner one takes."""

    def __init__(self, inner: Any, spent: Spent) -> None:
        self._inner, self._spent = inner, spent

    def analyse(self, text: str) -> Analysis:
        began = time.perf_counter()
        analysis: Analysis = self._inner.analyse(text)
        self._spent.language += (time.perf_counter() - began) * 1000
        return analysis

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class WatchedModel:
    """A ChatModel that notes how long is spent in the inner one, its client's work included."""

    def __init__(self, inner: ChatModel, spent: Spent) -> None:
        self._inner, self._spent = inner, spent

    @property
    def label(self) -> str:
        return self._inner.label

    async def reply(self, messages: Sequence[Message], schema: dict[str, Any]) -> ModelReply:
        began = time.perf_counter()
        self._spent.replies += 1
        reply = await self._inner.reply(messages, schema)
        self._spent.model += (time.perf_counter() - began) * 1000
        return reply

    async def stream(self, messages: Sequence[Message]) -> AsyncGenerator[str, None]:
        began = time.perf_counter()
        self._spent.streams += 1
        source: Any = self._inner.stream(messages)
        async with aclosing(source) as pieces:
            async for piece in pieces:
                self._spent.model += (time.perf_counter() - began) * 1000
                yield piece
                began = time.perf_counter()
        self._spent.model += (time.perf_counter() - began) * 1000

    async def aclose(self) -> None:
        await self._inner.aclose()


@contextmanager
def _counted(spent: Spent) -> Iterator[None]:
    """Counts round trips to the database: those of the ORM, and those that several planned statements share. What
    begins and ends a transaction is not among them."""

    def counting(inner: Any) -> Any:
        def counted(*args: Any, **kwargs: Any) -> Any:
            spent.round_trips += 1
            return inner(*args, **kwargs)

        return counted

    by_orm: Any = CursorWrapper._execute_with_wrappers  # type: ignore[attr-defined]
    with (
        patch.object(CursorWrapper, "_execute_with_wrappers", counting(by_orm)),
        patch.object(statements, "in_one_trip", counting(statements.in_one_trip)),
    ):
        yield


@contextmanager
def metered(model: ChatModel) -> Iterator[Spent]:
    """Inside, turns of this process are answered by `model`, and what they spend is noted."""
    spent = Spent()
    tools = replace(equipment(), embeddings=MeteredEmbeddings(equipment().embeddings, spent))
    language, watched = MeteredLanguage(wiring.language(), spent), WatchedModel(model, spent)
    with (
        equipped(tools),
        _counted(spent),
        patch.object(wiring, "language", lambda: language),
        patch.object(wiring, "chat_model", lambda: watched),
    ):
        yield spent
