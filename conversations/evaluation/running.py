"""Runs questions through the real pipeline, up to the passages found, and writes down what came of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from conversations.domain.answer import Passage
from conversations.domain.entities import terms_of
from conversations.domain.ports import Candidate, ChatModel, Message, ModelReply, Near, Ports, Retriever
from conversations.domain.search_plan import SearchPlan
from conversations.domain.state import ConversationState
from conversations.domain.turn import TurnInput, run_turn
from conversations.domain.turn_events import QueryDecided, SourcesFound
from conversations.domain.turn_trace import TurnTrace
from conversations.domain.vectors import Vector
from conversations.evaluation.items import Question
from conversations.evaluation.replaying import Replays
from conversations.evaluation.strategies import Contender
from kernel.json import JsonObject

DEEPEST = 10
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that came back: what gold references call its document, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the engine did with a question.

    `searched` are the texts that went to retrieval, none for small talk. `names` are the names in the query.
    `model_calls` counts the rewriting as it happened, and the answer that a configured model would give.
    `trace` is what the turn noted: its scope, classification and ruling.
    """

    question: Question
    query: str
    display: str
    kind: str
    rewritten: bool
    verdict: str
    searched: tuple[str, ...] = ()
    found: tuple[Found, ...] = ()
    names: tuple[str, ...] = ()
    model_calls: int = 0
    trace: JsonObject = field(default_factory=dict)


@dataclass(slots=True)
class _DeepRetriever:
    """Asks for ten passages where the product would ask for fewer of the same ranking, and notes what was asked."""

    inner: Retriever
    searched: list[str] = field(default_factory=list)

    async def search(self, plan: SearchPlan) -> tuple[Candidate, ...]:
        self.searched = [query.text for query in plan.queries]
        return await self.inner.search(replace(plan, limit=max(plan.limit, DEEPEST)))

    async def closest(self, text: str, limit: int) -> tuple[Candidate, ...]:
        return await self.inner.closest(text, limit)

    async def nearness(self, vector: Vector, chunk_ids: Collection[str]) -> Mapping[str, Near]:
        return await self.inner.nearness(vector, chunk_ids)

    async def permitted(self, chunk_ids: Collection[str]) -> frozenset[str]:
        return await self.inner.permitted(chunk_ids)

    async def passages(self, chunk_ids: Sequence[str]) -> tuple[Passage, ...]:
        return await self.inner.passages(chunk_ids)


@dataclass(slots=True)
class _CountedModel:
    """A model whose rewrites are counted. A run stops before the answer."""

    inner: ChatModel
    calls: int = 0

    @property
    def label(self) -> str:
        return self.inner.label

    async def reply(self, messages: Sequence[Message], schema: dict[str, Any]) -> ModelReply:
        self.calls += 1
        return await self.inner.reply(messages, schema)

    def stream(self, messages: Sequence[Message]) -> AsyncIterator[str]:
        return self.inner.stream(messages)

    async def aclose(self) -> None:
        await self.inner.aclose()


class Run:
    """One strategy over one library. `names` are the documents' names by id."""

    def __init__(
        self, contender: Contender, ports: Ports, names: Mapping[str, str], *, guarded: bool = True
    ) -> None:
        self._model = _CountedModel(ports.model) if ports.model else None
        self._retriever = _DeepRetriever(ports.retriever)
        self._ports = replace(ports, model=self._model, retriever=self._retriever, pace=None)
        self._names, self._contender, self._guarded = names, contender, guarded
        self._replays = Replays(self._ports, contender.policy, guarded)
        self.name = contender.name

    async def outcomes(self, questions: Sequence[Question], report: Report) -> list[Outcome]:
        """What came of each question. `report(strategy, done, total)` is called as it goes."""
        told = []
        for question in questions:
            told.append(await self.outcome(question))
            report(self.name, len(told), len(questions))
        return told

    async def outcome(self, question: Question) -> Outcome:
        state = ConversationState()
        if self._contender.remembers:
            state = await self._replays.state_after(question.prefix)
        given = TurnInput(question.follow_up, state, self._contender.policy, guarded=self._guarded)
        trace, before = TurnTrace(self._ports.clock), self._calls
        self._retriever.searched = []
        decided, candidates = await self._until_sources(given, trace)
        query_names = await self._ports.offload(lambda: terms_of(self._ports.language.analyse(decided.query)))
        return Outcome(
            question=question,
            query=decided.query,
            display=decided.display,
            kind=decided.kind,
            rewritten=decided.rewritten,
            verdict=decided.verdict,
            searched=tuple(self._retriever.searched),
            found=tuple(self._found(candidate) for candidate in candidates[:DEEPEST]),
            names=tuple(term.text for term in query_names if term.name),
            model_calls=self._calls - before + bool(self._model and candidates),
            trace=trace.data,
        )

    @property
    def _calls(self) -> int:
        return self._model.calls if self._model else 0

    async def _until_sources(
        self, given: TurnInput, trace: TurnTrace
    ) -> tuple[QueryDecided, tuple[Candidate, ...]]:
        decided: QueryDecided | None = None
        async with aclosing(run_turn(given, self._ports, trace)) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, QueryDecided):
                    decided = event
                elif isinstance(event, SourcesFound) and decided is not None:
                    return decided, event.candidates
        raise AssertionError("a turn decides on a query and finds sources")

    def _found(self, candidate: Candidate) -> Found:
        passage = candidate.passage
        return Found(self._names[passage.document_id], passage.text)
