"""Gets a turn its answer: from the model when there is one, otherwise quoted from the passages.

A model that is down, slow or over its quota never leaves a person with a spinner: they get the passages, quoted
and cited, with an honest note that says why. A half answer that broke off is replaced, not left standing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from conversations.domain.answer import (
    Citation,
    CitationStream,
    ExtractedAnswer,
    ModelError,
    Passage,
    cited,
    extract_answer,
    not_found,
    small_talk_reply,
    stream_pieces,
)
from conversations.domain.answer.citations import without_markers
from conversations.domain.claims import Recollection
from conversations.domain.misspelt import respelt
from conversations.domain.ports import ChatModel, Ports
from conversations.domain.prompts import ANSWER, Prompt
from conversations.domain.search_plan import by_name
from conversations.domain.stories import questions_of
from conversations.domain.turn_events import AnswerPiece, Engine, Notice
from conversations.domain.vectors import cosine
from conversations.domain.window import Background, Count, RecentTurn, Window, build_window

T = TypeVar("T")
OFFLINE = Engine("offline", "Offline engine")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be answered. `retrieved` is False for small talk, which needs no passages.

    `recap` is the answer to a question about the conversation itself, where there is no model; `recollection` is what
    the record says of a claim in the message that something was said, `spelling` what its misspelt words stand for.
    """

    message: str
    query: str
    passages: tuple[Passage, ...]
    recent: tuple[RecentTurn, ...] = ()
    background: Background = field(default_factory=Background)
    recap: str = ""
    recollection: Recollection | None = None
    spelling: Mapping[str, str] = field(default_factory=dict)
    retrieved: bool = True


@dataclass(slots=True)
class AnswerStage:
    """Runs once; afterwards it holds the whole text, its citations, who answered, and what to say about it."""

    asked: Asked
    ports: Ports
    text: str = ""
    citations: tuple[Citation, ...] = ()
    engine: Engine = OFFLINE
    notice: Notice | None = None
    window: Window | None = None
    model_calls: int = 0
    stopped: bool = False
    opening: str = ""
    notes: dict[str, object] = field(default_factory=dict)

    @property
    def informs(self) -> bool:
        """Whether the answer said something a later message can refer to: a cited statement, or a question.

        The words of "I could not find this" are nobody's subject and must not be carried into the next search.
        """
        asks = self.asked.retrieved and not self.asked.recap and "?" in self.text.removeprefix(self.opening)
        return bool(self.citations) or asks

    @property
    def said(self) -> str:
        """What the answer told, for later turns: without marks, and without what it told about the conversation itself."""
        return without_markers(self.text.removeprefix(self.opening)).strip() if self.informs else ""

    async def pieces(self) -> AsyncIterator[AnswerPiece]:
        """The answer as it grows. Ends early, with what there is, when the person says stop."""
        async for piece in until(self._pieces(), self.ports.halt):
            yield piece
        self.stopped = self.ports.halt is not None and self.ports.halt.is_set()
        if self.stopped:
            self.citations = self._cited_so_far()

    async def _pieces(self) -> AsyncIterator[AnswerPiece]:
        if not self.asked.retrieved:
            async for piece in self._said(small_talk_reply(self.asked.message)):
                yield piece
            return
        if self.asked.recap:
            async for piece in self._said(self.asked.recap):
                yield piece
            return
        if self.ports.model is None:
            async for piece in self._extracted():
                yield piece
            return
        try:
            async for piece in self._from_model(self.ports.model):
                yield piece
        except ModelError as error:
            self.notice = Notice(error.code, f"{error.message} Here is what the documents say.")
            async for piece in self._extracted():
                yield piece

    async def _from_model(self, model: ChatModel) -> AsyncIterator[AnswerPiece]:
        self.window = self._window()
        self.engine = Engine("model", model.label)
        if not self.window.passages:
            missing = not_found(self.asked.message)
            async for piece in self._said(f"{self._opened(missing)}{missing}"):
                yield piece
            return
        self.model_calls += 1
        shown = self._shown_whole(self.window)
        checked = CitationStream(shown)
        raw: list[str] = []
        async for delta in model.stream(self.window.messages):
            raw.append(delta)
            if grown := self._grow(checked.feed(delta)):
                yield grown
        if grown := self._grow(checked.finish()):
            yield grown
        answer = cited("".join(raw), shown)
        self.text, self.citations = answer.text, answer.citations
        self.notes |= {"markers_dropped": list(answer.dropped), "addresses_removed": list(answer.removed)}

    async def _extracted(self) -> AsyncIterator[AnswerPiece]:
        """The offline answer. A name that no passage holds is looked for once by itself before it is called missing."""
        self.engine, self.text = OFFLINE, ""
        passages = self.asked.passages
        answer = await self._answer(passages)
        if answer.missing and (named := await self._holding(answer.missing)):
            known = {passage.chunk_id for passage in named}
            self.notes |= {"searched_by_name": answer.missing, "found_by_name": sorted(known)}
            answer = await self._answer((*named, *(p for p in passages if p.chunk_id not in known)))
        self.citations = answer.citations
        self.notes |= {"confident": answer.confident}
        self.notes |= {"spelling": dict(self.asked.spelling)} if self.asked.spelling else {}
        async for piece in self._said(f"{self._opened(answer.text)}{answer.text}"):
            yield piece

    def _opened(self, answer: str) -> str:
        """What is said before the answer: whether something was said that the message claims was."""
        recollection = self.asked.recollection
        if recollection is None:
            return ""
        self.notes |= {"claim": recollection.claim.text, "claim_verdict": recollection.verdict.value}
        self.opening = f"{recollection.opening(answer)}\n\n"
        return self.opening

    async def _answer(self, passages: Sequence[Passage]) -> ExtractedAnswer:
        """Quoted from the passages. Sentence vectors are asked for once, for a short list."""
        asked = self.asked
        of_story = questions_of(asked.message)  # of a story only its questions are answered
        message, query = self._asking(), asked.query
        if of_story:
            message = query = respelt(" ".join(of_story), asked.spelling)
        wanted: list[str] = []
        told = [turn.assistant for turn in asked.recent]
        extract_answer(query, message, passages, sentence_scores=_collecting(wanted), told=told)
        scores = await self._scores(query, wanted)
        return extract_answer(
            query,
            message,
            passages,
            sentence_scores=lambda texts: [scores.get(text, 0.0) for text in texts],
            told=told,
        )

    def _asking(self) -> str:
        """The message as it is spelt right, without a claim that is not what is asked: its names are looked for nowhere."""
        found = self.asked.recollection
        claimed = found.claim.text if found and not found.claim.asked else ""
        return respelt(
            self.asked.message.replace(claimed, "") if claimed else self.asked.message, self.asked.spelling
        )

    async def _holding(self, name: str) -> tuple[Passage, ...]:
        """Permitted passages that hold a name, by words alone; meaning finds what is like it instead."""
        found = await self.ports.retriever.search(by_name(name))
        return tuple(candidate.passage for candidate in found)

    async def _scores(self, query: str, texts: Sequence[str]) -> dict[str, float]:
        if not texts:
            return {}
        first, *rest = await self.ports.embedder.embed([query, *texts])
        return {text: cosine(first, vector) for text, vector in zip(texts, rest, strict=True)}

    async def _said(self, text: str) -> AsyncIterator[AnswerPiece]:
        for words in stream_pieces(text):
            if piece := self._grow(words):
                yield piece
            if self.ports.pace is not None:
                await self.ports.pace()

    def _grow(self, words: str) -> AnswerPiece | None:
        if not words:
            return None
        piece = AnswerPiece(len(self.text), words)
        self.text += words
        return piece

    def _cited_so_far(self) -> tuple[Citation, ...]:
        return self.citations or cited(self.text, self.asked.passages).citations

    def _window(self) -> Window:
        return window_of(self.asked, self.ports.count_tokens, self.ports.prompts.answer)

    def _shown_whole(self, window: Window) -> tuple[Passage, ...]:
        """The passages that the window shows, uncut, so that a citation quotes the document and not a shortened copy."""
        whole = {passage.chunk_id: passage for passage in self.asked.passages}
        return tuple(whole[passage.chunk_id] for passage in window.passages)


def window_of(asked: Asked, count: Count, prompt: Prompt = ANSWER) -> Window:
    """What a model reads to answer this."""
    return build_window(
        message=asked.message,
        system=prompt.system,
        query=asked.query,
        passages=asked.passages,
        resume_note=asked.background.resume_note,
        correction_note=asked.background.correction_note,
        summary=asked.background.summary,
        facts=asked.background.facts,
        recent=asked.recent,
        count=count,
    )


def _collecting(wanted: list[str]) -> Callable[[Sequence[str]], list[float]]:
    """A scorer that only notes which texts it is asked about."""

    def scores(texts: Sequence[str]) -> list[float]:
        wanted.extend(texts)
        return [0.0] * len(texts)

    return scores


async def until(pieces: AsyncIterator[T], halt: asyncio.Event | None) -> AsyncIterator[T]:
    """The items of an asynchronous iterator until an event is set, even while the next item is awaited."""
    if halt is None:
        async for piece in pieces:
            yield piece
        return
    stop = asyncio.ensure_future(halt.wait())
    try:
        while True:
            step = asyncio.ensure_future(anext(pieces, None))
            await asyncio.wait({step, stop}, return_when=asyncio.FIRST_COMPLETED)
            if not step.done():
                step.cancel()
                await asyncio.gather(step, return_exceptions=True)
                return
            item = step.result()
            if item is None:
                return
            yield item
    finally:
        stop.cancel()
