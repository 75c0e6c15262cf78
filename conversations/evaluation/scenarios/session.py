"""Holds a scripted conversation through the real pipeline, turn after turn, with state, archive and memory carried on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from conversations.domain.answer import Passage
from conversations.domain.answer_stage import Asked, window_of
from conversations.domain.memory.values import Memory
from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Candidate, Ports
from conversations.domain.search_plan import LEXICAL_AS_TYPED, TYPED_WEIGHT, PlannedQuery, SearchPlan
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.turn import RECENT_TURNS, TurnInput, run_turn
from conversations.domain.turn_events import SourcesFound, TurnFinished
from conversations.domain.window import Background, RecentTurn
from conversations.evaluation.metrics import SHOWN
from conversations.evaluation.running import Found
from conversations.evaluation.scenarios.archive import HeldArchive
from conversations.evaluation.scenarios.held import Compared, HeldConversation, HeldTurn
from conversations.evaluation.scenarios.judging import judged, recall
from conversations.evaluation.scenarios.remembering import Remembering
from conversations.evaluation.scenarios.script import Script, ScriptedTurn
from kernel.json import JsonObject

Report = Callable[[str, int, int], None]
FIRST_COMPARED = 3


@dataclass(slots=True)
class Session:
    """One conversation. `names` are what gold references call the documents, by id."""

    script: Script
    ports: Ports
    names: Mapping[str, str]
    remembering: Remembering
    policy: ScopePolicy = field(default_factory=ScopePolicy)
    state: ConversationState = field(default_factory=ConversationState)
    memory: Memory = field(default_factory=Memory)
    archive: HeldArchive = field(default_factory=HeldArchive)

    async def held(self, report: Report) -> HeldConversation:
        """All turns, one after the other. `report(scenario, done, total)` is called as it goes."""
        ports = replace(self.ports, archive=self.archive, pace=None)
        turns: list[HeldTurn] = []
        for scripted in self.script.turns:
            turns.append(await self._turn(scripted, ports))
            report(self.script.name, len(turns), len(self.script.turns))
        exchanges = tuple(turn.exchange for turn in turns)
        memory = self.memory
        closed = await ports.offload(lambda: self.remembering.closed(memory, exchanges))
        engine = ports.model.label if ports.model else "offline"
        return HeldConversation(self.script, tuple(turns), memory, closed, engine)

    async def _turn(self, scripted: ScriptedTurn, ports: Ports) -> HeldTurn:
        given = TurnInput(scripted.message, self.state, self.policy, self.memory)
        candidates, finished = await _run(given, ports)
        exchange = finished.state.exchanges[-1]
        turn = self._told(scripted, candidates, finished, exchange)
        self.state = finished.state
        self.archive.take(finished.state)
        await self._remember(finished)
        if scripted.n >= FIRST_COMPARED and scripted.expected.gold:
            turn = replace(turn, compared=await self._compared(turn, ports))
        return turn

    async def _remember(self, finished: TurnFinished) -> None:
        known = [self.archive.exchanges[n] for n in sorted(self.archive.exchanges)]
        memory, state, trace = self.memory, finished.state, finished.trace
        self.memory = await self.ports.offload(lambda: self.remembering.after(memory, known, state, trace))

    def _told(
        self,
        scripted: ScriptedTurn,
        candidates: tuple[Candidate, ...],
        finished: TurnFinished,
        exchange: Exchange,
    ) -> HeldTurn:
        trace, decided = finished.trace, finished.decided
        searched = tuple(query["text"] for query in trace.get("queries", ()))
        found = tuple(self._found(candidate) for candidate in candidates)
        asked = _asked(trace, decided.query, candidates)
        return HeldTurn(
            script=scripted,
            query=decided.query,
            display=decided.display,
            kind=decided.kind,
            rewritten=decided.rewritten,
            verdict=decided.verdict,
            searched=searched,
            found=found,
            chunks=tuple(candidate.passage.chunk_id for candidate in candidates),
            answer=finished.answer,
            exchange=exchange,
            judgement=judged(scripted.expected, decided.query, searched, found),
            background=asked.background,
            recent=tuple(f"{turn.user}\n{turn.assistant}" for turn in asked.recent),
            tokens=dict(trace.get("tokens") or window_of(asked, self.ports.count_tokens).tokens),
            model_calls=trace.get("model_calls") or _calls(trace, candidates),
            trace=trace,
        )

    async def _compared(self, turn: HeldTurn, ports: Ports) -> Compared:
        """Both texts searched alike, each by itself, so that only the wording differs."""
        gold = turn.script.expected.gold
        rates = []
        for text in (turn.query, turn.script.message):
            plan = SearchPlan((PlannedQuery(text, TYPED_WEIGHT, LEXICAL_AS_TYPED),), limit=SHOWN)
            candidates = await ports.retriever.search(plan)
            rates.append(recall(gold, [self._found(candidate) for candidate in candidates]) or 0.0)
        return Compared(*rates)

    def _found(self, candidate: Candidate) -> Found:
        passage: Passage = candidate.passage
        return Found(self.names[passage.document_id], passage.text)


async def _run(given: TurnInput, ports: Ports) -> tuple[tuple[Candidate, ...], TurnFinished]:
    candidates: tuple[Candidate, ...] = ()
    async with aclosing(run_turn(given, ports)) as events:  # type: ignore[type-var]
        async for event in events:
            if isinstance(event, SourcesFound):
                candidates = event.candidates
            elif isinstance(event, TurnFinished):
                return candidates, event
    raise AssertionError("a turn ends with its outcome")


def _asked(trace: JsonObject, query: str, candidates: tuple[Candidate, ...]) -> Asked:
    """What a model is given for this turn, from what the turn noted."""
    shown = trace["scope"]["exchanges"][-RECENT_TURNS:]
    return Asked(
        message=trace["message"],
        query=query,
        passages=tuple(candidate.passage for candidate in candidates),
        recent=tuple(RecentTurn(exchange["message"], exchange["answer"]) for exchange in shown),
        background=_background(trace),
    )


def _background(trace: JsonObject) -> Background:
    noted: JsonObject = trace.get("background") or {}
    return Background(
        resume_note=noted.get("resume_note", ""),
        correction_note=noted.get("correction_note", ""),
        summary=noted.get("summary", ""),
        facts=tuple(noted.get("facts", ())),
    )


def _calls(trace: JsonObject, candidates: tuple[Candidate, ...]) -> int:
    """What a model would be called for: to rewrite what depends on something shown, and to answer from passages."""
    scope = trace["scope"]
    rewrites = trace["classification"]["dependent"] and bool(scope["exchanges"] or scope["slots"])
    return int(rewrites) + bool(candidates)
