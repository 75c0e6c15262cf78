"""Writes down what happened in a turn, stage by stage, while it happens.

The trace is what the console draws and the audits read: inputs, decisions with their evidence, the exact scope
that was shown, candidates with scores, tokens by section, model calls, and milliseconds for each stage.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from conversations.domain.classify import Classification, Evidence
from conversations.domain.liveness import Slot, SlotChange
from conversations.domain.ports import Candidate
from conversations.domain.scope import Scope
from conversations.domain.search_plan import SearchPlan
from conversations.domain.state import ConversationState
from conversations.domain.verdicts import Ruling
from conversations.domain.window import Background
from kernel.json import JsonObject
from kernel.traced import span


@dataclass(slots=True)
class TurnTrace:
    """Collects the trace of one turn. `clock` returns milliseconds."""

    clock: Callable[[], float]
    data: JsonObject = field(default_factory=lambda: {"stages": []})

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = self.clock()
        try:
            with span(f"stage {name}"):
                yield
        finally:
            first = self.data["stages"][0]["start"] if self.data["stages"] else start
            entry = {
                "name": name,
                "start": start,
                "at": round(start - first, 2),
                "ms": round(self.clock() - start, 2),
            }
            self.data["stages"].append(entry)

    def note(self, **facts: Any) -> None:
        self.data.update(facts)

    def finish(self) -> JsonObject:
        stages = [{key: stage[key] for key in ("name", "at", "ms")} for stage in self.data["stages"]]
        return {**self.data, "stages": stages}


def evidence_out(evidence: Iterable[Evidence]) -> list[JsonObject]:
    return [asdict(item) for item in evidence]


def classification_out(classification: Classification) -> JsonObject:
    return {
        "kind": classification.kind.value,
        "dependent": classification.dependent,
        "topic_shift": classification.topic_shift,
        "evidence": evidence_out(classification.evidence),
        "affinities": [asdict(item) for item in classification.affinities[:8]],
    }


def scope_out(scope: Scope) -> JsonObject:
    """Exactly what the contextualizer was shown."""
    return {
        "strategy": scope.strategy.value,
        "exchanges": [{"turn": e.turn, "message": e.message, "answer": e.answer} for e in scope.exchanges],
        "slots": [{**slot_out(slot), "notes": list(slot.notes)} for slot in scope.slots],
        "closed": [slot_out(slot) for slot in scope.closed],
        "antecedent": scope.antecedent.turn if scope.antecedent else None,
        "evidence": evidence_out(scope.evidence),
    }


def ruling_out(ruling: Ruling) -> JsonObject:
    return {
        "query": ruling.query,
        "verdict": ruling.verdict.value,
        "action": ruling.action.value,
        "origin": ruling.origin,
        "objections": [asdict(item) for item in ruling.objections],
        "offending": list(ruling.offending),
        "evidence": evidence_out(ruling.evidence),
    }


def retrieval_out(
    plan: SearchPlan | None, candidates: Sequence[Candidate], cited: Collection[str]
) -> JsonObject:
    """The queries with their weights, and each candidate; `novelty` is the share that was not shown before."""
    queries = plan.queries if plan else ()
    shown = [candidate.passage.chunk_id for candidate in candidates]
    fresh = [chunk for chunk in shown if plan is None or chunk not in plan.seen]
    return {
        "queries": [{"text": q.text, "dense": q.dense_weight, "lexical": q.lexical_weight} for q in queries],
        "candidates": [candidate_out(c, chosen=c.passage.chunk_id in cited) for c in candidates],
        "novelty": round(len(fresh) / len(shown), 3) if shown else None,
    }


def candidate_out(candidate: Candidate, *, chosen: bool) -> JsonObject:
    passage = candidate.passage
    return {
        "chunk": passage.chunk_id,
        "document": passage.document_id,
        "title": passage.title,
        "heading_path": list(passage.heading_path),
        "page": passage.page,
        "score": round(passage.score, 5),
        "dense_rank": candidate.dense_rank,
        "lexical_rank": candidate.lexical_rank,
        "dense_score": candidate.dense_score,
        "carried": candidate.carried,
        "lexical_score": candidate.lexical_score,
        "chosen": chosen,
    }


def background_out(added: Background) -> JsonObject:
    """What memory added to the answer's prompt."""
    return {
        "resume_note": added.resume_note,
        "correction_note": added.correction_note,
        "summary": added.summary,
        "facts": list(added.facts),
    }


def slot_out(slot: Slot) -> JsonObject:
    return {
        "id": slot.id,
        "name": slot.name,
        "type": slot.type,
        "status": slot.status.value,
        "introduced_turn": slot.introduced_turn,
        "last_mention_turn": slot.last_mention_turn,
        "superseded_by": slot.superseded_by,
    }


def memory_out(state: ConversationState, changes: Iterable[SlotChange]) -> JsonObject:
    """Every slot after the turn, and what moved in it: what the slot timeline is drawn from."""
    return {
        "turn": state.turn,
        "segment": state.segment,
        "slots": [slot_out(slot) for slot in state.slots],
        "changes": [asdict(change) for change in changes],
    }
