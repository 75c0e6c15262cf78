"""One turn from message to memory: classify, scope, contextualize, guard, authorize, retrieve, answer, remember.

Every door runs this same pipeline over ports; it decides and tells what it decided, and stores nothing itself.
It costs at most two model calls, and one when the message stands on its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace

from conversations.domain.answer import Citation, ModelError
from conversations.domain.answer.phrases import without_refusal
from conversations.domain.answer.recap import recap_asked
from conversations.domain.answer_stage import AnswerStage, Asked
from conversations.domain.authorize import Revocation, authorize, chunks_of, revoke, visible
from conversations.domain.claims import Recollection, claimed
from conversations.domain.classify import Classification, Kind, classify
from conversations.domain.consulting import scoped, weighed
from conversations.domain.contextualize import Contextualized, contextualize_offline
from conversations.domain.guard import guard
from conversations.domain.memory.notes import with_notes
from conversations.domain.memory.resume import resumed
from conversations.domain.memory.values import Memory
from conversations.domain.misspelt import as_searched, respelt, searched
from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Candidate, Ports
from conversations.domain.prompt import REWRITE_SCHEMA, MalformedRewrite, parse_reply, rewrite_messages
from conversations.domain.reading import Reading, read_cue
from conversations.domain.recollect import (
    as_reopened,
    background,
    chunks_of_memory,
    in_hand,
    nothing_new,
    permitted_memory,
    recalled,
    told_of,
)
from conversations.domain.remember import AnswerReading, remember
from conversations.domain.scope import Scope
from conversations.domain.search_plan import SearchPlan, plan_search
from conversations.domain.settled import settled
from conversations.domain.state import ConversationState
from conversations.domain.stories import question_first
from conversations.domain.turn_events import (
    QueryDecided,
    SourcesFound,
    TurnEvent,
    TurnFinished,
)
from conversations.domain.turn_trace import (
    TurnTrace,
    background_out,
    classification_out,
    evidence_out,
    memory_out,
    retrieval_out,
    ruling_out,
    scope_out,
)
from conversations.domain.vectors import Vector, unit
from conversations.domain.verdicts import Ruling
from conversations.domain.window import Background, RecentTurn

RECENT_TURNS = 2


@dataclass(frozen=True, slots=True)
class TurnInput:
    """A message and what the session remembers. State and memory must be the asking user's own.

    `idle_seconds` passed since the session's last turn. `guarded` is False only in evaluation, to measure what the
    guard keeps out of the search.
    """

    message: str
    state: ConversationState
    policy: ScopePolicy
    memory: Memory = field(default_factory=Memory)
    idle_seconds: float = 0.0
    guarded: bool = True


@dataclass(slots=True)
class TurnUnderWay:
    """A turn under way: what the stages have found so far."""

    given: TurnInput
    ports: Ports
    trace: TurnTrace
    state: ConversationState = field(default_factory=ConversationState)
    seen: ConversationState = field(default_factory=ConversationState)
    memory: Memory = field(default_factory=Memory)
    revocation: Revocation = field(default_factory=Revocation)
    model_calls: int = 0

    reading: Reading = field(init=False)
    classification: Classification = field(init=False)
    scope: Scope = field(init=False)
    contextualized: Contextualized = field(init=False)
    fallback: Contextualized = field(init=False)
    ruling: Ruling = field(init=False)
    recap: str = field(init=False)
    recollection: Recollection | None = None
    spelling: Mapping[str, str] = field(default_factory=dict)
    found: tuple[str, ...] = ()

    @property
    def gap(self) -> float:
        """The pause in seconds that this message ends, 0 when the session did not rest."""
        idle = self.given.idle_seconds
        rested = self.given.state.turn > 0 and idle >= self.given.policy.resume_after_seconds
        return idle if rested else 0.0


async def run_turn(
    given: TurnInput, ports: Ports, trace: TurnTrace | None = None
) -> AsyncIterator[TurnEvent]:
    """Tells what happens as it happens and ends with `TurnFinished`, unless the caller closes it earlier.

    A caller that closes it early hands in a `trace` and reads what was noted so far.
    Raises what the retriever raises; a model's failures are dealt with inside.
    """
    turn = TurnUnderWay(given, ports, trace or TurnTrace(ports.clock))
    turn.trace.note(versions={"policy": given.policy.version, "prompts": ports.prompts.versions})
    decided = await understand(turn)
    yield decided
    plan, candidates = await retrieved(turn)
    if turn.spelling:
        decided = as_searched(decided, turn.spelling)
        yield decided
    sources = SourcesFound(candidates, _numbered(candidates))
    yield sources
    with turn.trace.stage("answer"):
        stage = AnswerStage(_asked(turn, candidates), ports)
        async for piece in stage.pieces():
            yield piece
    state = await remembered(turn, stage.said, tuple(citation.chunk_id for citation in stage.citations))
    turn.trace.note(
        **retrieval_out(plan, candidates, {citation.chunk_id for citation in stage.citations}),
        novelty_alarm=nothing_new(plan, candidates, turn.classification, turn.seen),
        token_vocabulary=ports.vocabulary,
        tokens=dict(stage.window.tokens) if stage.window else {},
        model_calls=turn.model_calls + stage.model_calls,
        answer=dict(stage.notes),
    )
    yield TurnFinished(
        decided,
        stage.text,
        stage.citations,
        stage.engine,
        stage.notice,
        state,
        turn.trace.finish(),
        stage.stopped,
    )


async def understand(turn: TurnUnderWay) -> QueryDecided:
    """The stages up to the query that will be searched."""
    await _classified(turn)
    with turn.trace.stage("scope"):
        turn.scope = await scoped(
            turn.reading, turn.classification, turn.seen, turn.given.policy, turn.ports.retriever
        )
    with turn.trace.stage("contextualize"):
        await _contextualized(turn)
    with turn.trace.stage("guard"):
        vector = await _rewrite_vector(turn)
        turn.ruling = await turn.ports.offload(lambda: _guarded(turn, vector))
    written = settled(turn.contextualized, turn.fallback, turn.ruling, turn.seen)
    with turn.trace.stage("authorize"):
        turn.ruling = authorize(turn.ruling, turn.revocation, turn.reading, written.added)
    turn.trace.note(
        message=turn.reading.text,
        scope=scope_out(turn.scope),
        rewrite={"query": turn.contextualized.query, "origin": turn.contextualized.origin},
        rewrite_evidence=evidence_out(turn.contextualized.evidence),
        ruling=ruling_out(turn.ruling),
        revoked={"slots": list(turn.revocation.names), "turns": list(turn.revocation.turns)},
    )
    accounted = settled(written, turn.fallback, turn.ruling, turn.seen)
    mentioned = (*accounted.refers_to, *told_of(turn.reading, turn.seen, turn.memory))
    turn.contextualized = replace(accounted, refers_to=tuple(dict.fromkeys(mentioned)))
    return QueryDecided(
        query=turn.ruling.query,
        display=turn.ruling.display or turn.ruling.query,
        kind=turn.classification.kind.value,
        rewritten=turn.ruling.query != turn.reading.core,
        verdict=turn.ruling.verdict.value,
    )


async def _classified(turn: TurnUnderWay) -> None:
    """Read the message, with what of the session the user may still see beside it."""
    given, cue = turn.given, read_cue(turn.given.message)
    with turn.trace.stage("load"):
        rested = resumed(given.state, given.idle_seconds, given.policy.resume_after_seconds)
        analysis, vectors, permitted = await asyncio.gather(
            turn.ports.offload(lambda: turn.ports.language.analyse(cue.core)),
            turn.ports.embedder.embed([question_first(cue.core)]),
            turn.ports.retriever.permitted(chunks_of(rested) | chunks_of_memory(given.memory)),
        )
        turn.reading = Reading.of(cue, analysis, unit(vectors[0]), given.message)
        turn.memory = permitted_memory(given.memory, permitted)
        turn.state, more = await recalled(turn.reading, rested, turn.ports, given.policy.thresholds.related)
        permitted |= more
    with turn.trace.stage("classify"):
        turn.revocation = revoke(turn.state, permitted)
        reopened = as_reopened(turn.state, turn.reading) if turn.gap else turn.state
        turn.seen = with_notes(visible(reopened, turn.revocation), turn.memory.facts, turn.reading.text_key)
        formed = classify(turn.reading, turn.seen, given.policy)
        turn.classification = await weighed(
            turn.reading, formed, turn.seen, given.policy, turn.ports.retriever
        )
        turn.recap = recap_asked(turn.reading.core, turn.seen) if turn.ports.model is None else ""
        turn.recollection = await claimed(turn.reading, turn.state, turn.seen, given.memory, turn.ports)
    turn.trace.note(
        classification=classification_out(turn.classification),
        cue=cue.phrase,
        recalled=list(turn.state.recalled),
        idle_seconds=round(given.idle_seconds),
    )


async def _contextualized(turn: TurnUnderWay) -> None:
    """The rewrite by rules; the model's where something in the message refers, which is more than passages tell."""
    turn.fallback = contextualize_offline(turn.reading, turn.classification, turn.scope, turn.seen)
    turn.contextualized = turn.fallback
    told = turn.classification
    if turn.ports.model is None or not told.dependent or told.by_passages or turn.scope.empty:
        return
    turn.model_calls += 1
    asked = rewrite_messages(turn.reading, turn.scope, turn.ports.prompts.contextualize)
    try:
        reply = await turn.ports.model.reply(asked, REWRITE_SCHEMA)
    except ModelError as error:
        turn.trace.note(contextualizer_error=error.code)
        return
    parsed = parse_reply(reply.text, turn.reading, turn.classification, turn.scope)
    turn.trace.note(contextualizer_reply=reply.text[:2000], contextualizer_ms=round(reply.ms, 1))
    if isinstance(parsed, MalformedRewrite):
        turn.trace.note(contextualizer_error=parsed.reason)
        return
    turn.contextualized = parsed


async def _rewrite_vector(turn: TurnUnderWay) -> Vector | None:
    """Where a model wrote: the search embeds the same text, so it costs nothing more."""
    if turn.contextualized.origin != "model" or not turn.given.guarded:
        return None
    return unit((await turn.ports.embedder.embed([turn.contextualized.query]))[0])


def _guarded(turn: TurnUnderWay, vector: Vector | None) -> Ruling:
    """Closed and invented things are kept out of the query, whoever wrote it."""
    if not turn.given.guarded:
        written = turn.contextualized
        return Ruling(query=written.query, origin=written.origin, display=written.display)
    return guard(
        turn.contextualized,
        turn.reading,
        turn.scope,
        turn.seen,
        turn.given.policy,
        turn.ports.language.analyse,
        fallback=turn.fallback,
        query_vector=vector,
    )


async def retrieved(turn: TurnUnderWay) -> tuple[SearchPlan | None, tuple[Candidate, ...]]:
    if turn.classification.kind is Kind.SMALL_TALK or turn.recap:
        return None, ()
    plan = plan_search(turn.reading, turn.classification, turn.ruling, turn.seen, turn.given.policy)
    with turn.trace.stage("retrieve"):
        plan, found, turn.spelling = await searched(plan, turn.reading, turn.ports)
        more = await in_hand(turn.reading, turn.classification, turn.scope, found, turn.ports.retriever)
        candidates = (*found, *more)
        turn.found = tuple(candidate.passage.chunk_id for candidate in candidates)
        return plan, candidates


def _numbered(candidates: tuple[Candidate, ...]) -> tuple[Citation, ...]:
    return tuple(Citation.of(n, candidate.passage, ()) for n, candidate in enumerate(candidates, 1))


def _asked(turn: TurnUnderWay, candidates: tuple[Candidate, ...]) -> Asked:
    shown = turn.scope.exchanges[-RECENT_TURNS:]
    return Asked(
        message=turn.reading.core,
        query=respelt(turn.ruling.query, turn.spelling),
        passages=tuple(candidate.passage for candidate in candidates),
        recent=tuple(RecentTurn(exchange.message, exchange.answer) for exchange in shown),
        background=_background(turn),
        recap=turn.recap,
        recollection=turn.recollection,
        spelling=turn.spelling,
        retrieved=turn.classification.kind is not Kind.SMALL_TALK,
    )


def _background(turn: TurnUnderWay) -> Background:
    added = background(
        turn.reading,
        turn.classification,
        turn.contextualized,
        turn.seen,
        turn.memory,
        shown=turn.scope.exchanges[-RECENT_TURNS:],
        gap=turn.gap,
        count=turn.ports.count_tokens,
        recollection=turn.recollection,
    )
    turn.trace.note(background=background_out(added))
    return added


async def remembered(turn: TurnUnderWay, text: str, chunks: tuple[str, ...]) -> ConversationState:
    """The state after an answer that cites `chunks`. Everything counts from the whole state, revoked parts included."""
    with turn.trace.stage("remember"):
        language, kept = turn.ports.language, turn.given.policy.budgets.sentences_kept
        told = text if without_refusal(text) == text.strip() else ""
        analysis = await turn.ports.offload(lambda: language.analyse(told))
        sentences = analysis.sentence_texts()[:kept]
        whole, query, *rows = await turn.ports.embedder.embed([told, turn.ruling.query, *sentences])
        answer = AnswerReading(
            text=text,
            analysis=analysis,
            vector=unit(whole) if told else None,
            sentence_vectors=tuple(vector for vector in map(unit, rows) if vector is not None),
            chunks=chunks,
            home=turn.found,
        )
        state, changes = remember(
            turn.state,
            turn.reading,
            turn.classification,
            turn.contextualized,
            turn.ruling,
            answer,
            turn.given.policy,
            unit(query),
        )
    turn.trace.note(memory=memory_out(state, changes))
    return state
