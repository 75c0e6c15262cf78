"""What a turn needs from the outside: language, embeddings, a model, the search, a clock.

The pipeline knows these shapes and nobody behind them, so the socket, REST, the evaluator and replay run the same turn.
Everything that waits is asynchronous; everything that decides is not in here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from conversations.domain.answer import Passage
from conversations.domain.language import Language
from conversations.domain.prompts import BUILT_IN, Prompts
from conversations.domain.search_plan import SearchPlan
from conversations.domain.state import Exchange
from conversations.domain.vectors import Vector

Message = dict[str, str]
T = TypeVar("T")


class Embedder(Protocol):
    """Unit vectors of one embedding space, in the order of the texts."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]: ...


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model said, what it cost in tokens, and how long it took in milliseconds."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ms: float = 0.0


class ChatModel(Protocol):
    """A chat model. Both calls raise `conversations.domain.answer.ModelError`."""

    @property
    def label(self) -> str: ...

    async def reply(self, messages: Sequence[Message], schema: dict[str, Any]) -> ModelReply:
        """One answer as JSON of `schema`, from models that support it."""
        ...

    def stream(self, messages: Sequence[Message]) -> AsyncIterator[str]:
        """An answer, piece by piece."""
        ...

    async def aclose(self) -> None:
        """Close what this event loop opened."""
        ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage the search returned, with the ranks and scores that brought it here.

    `carried`: the search did not bring it, it was in hand already from the exchange that the message goes on with.
    """

    passage: Passage
    dense_rank: int | None = None
    lexical_rank: int | None = None
    dense_score: float | None = None
    lexical_score: float | None = None
    carried: bool = False


class Near(NamedTuple):
    """How near a vector comes to a passage or to one right beside it, as a cosine, and the passage's own text."""

    cosine: float
    text: str


class Retriever(Protocol):
    """The search, inside the asking person's permissions of the moment."""

    async def search(self, plan: SearchPlan) -> tuple[Candidate, ...]: ...

    async def closest(self, text: str, limit: int) -> tuple[Candidate, ...]:
        """The passages nearest to a text in meaning alone, with their cosines: to judge by, shown to nobody."""
        ...

    async def nearness(self, vector: Vector, chunk_ids: Collection[str]) -> Mapping[str, Near]:
        """How near a vector comes to each of these passages or to one right beside it; what may not be seen is missing."""
        ...

    async def permitted(self, chunk_ids: Collection[str]) -> frozenset[str]:
        """Those of the chunks that the asking person may see now."""
        ...

    async def passages(self, chunk_ids: Sequence[str]) -> tuple[Passage, ...]:
        """Those passages that the asking person may see now, in the order asked."""
        ...


class Archive(Protocol):
    """All exchanges of the session, the ones that have left its state included. Few come back, newest first."""

    async def naming(self, keys: Collection[str], before: int) -> tuple[Exchange, ...]:
        """Exchanges of turns under `before` that are about one of the entity keys."""
        ...

    async def nearest(self, vector: Vector | None, before: int) -> tuple[Exchange, ...]:
        """Exchanges of turns under `before` that are nearest in meaning."""
        ...

    async def opening(self, count: int) -> tuple[Exchange, ...]:
        """The first `count` exchanges of the session."""
        ...


class Offload(Protocol):
    """Runs computing beside the event loop."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]: ...


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything behind a turn.

    `clock` returns milliseconds, `count_tokens` the tokens of a text by `vocabulary`. `model` is None when
    no provider is configured, and is called with `prompts`; `archive` is None where a session is too short to have one.
    `knows` tells whether the language has a word, in small letters; without it nothing is called misspelt.
    `pace` waits a moment between the pieces of an extracted answer; `halt` is set when the person says stop.
    """

    language: Language
    offload: Offload
    embedder: Embedder
    retriever: Retriever
    clock: Callable[[], float]
    count_tokens: Callable[[str], int]
    vocabulary: str = "estimate"
    model: ChatModel | None = None
    prompts: Prompts = BUILT_IN
    archive: Archive | None = None
    knows: Callable[[str], bool] | None = None
    pace: Callable[[], Awaitable[None]] | None = None
    halt: asyncio.Event | None = None
