"""Rows that the console's pages are about."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from conversations.domain.words import key_of
from conversations.models import LedgerFact, Session, SummaryPart, Turn, TurnState, TurnTrace
from kernel.clock import now
from retrieval.models import Chunk, Document, DocumentState
from tenants.services import end_user_for_device


def make_document(
    corpus: Any, title: str, *, state: str = DocumentState.INDEXED, chunks: int = 2, **fields: Any
) -> Any:
    moment = now()
    document = Document.objects.create(
        corpus=corpus,
        title=title,
        filename=f"{title}.md",
        content_hash=str(uuid4()),
        size=1200,
        state=state,
        generation=1 if state == DocumentState.INDEXED else 0,
        chunk_count=chunks if state == DocumentState.INDEXED else 0,
        queued_at=moment,
        uploaded_at=moment,
        **fields,
    )
    for n in range(document.chunk_count):
        Chunk.objects.create(
            document=document,
            generation=1,
            ordinal=n,
            text=f"{title}: passage {n} <b>bold</b>",
            heading_path=[title, f"Part {n}"],
            page=n + 1,
            span_start=n * 100,
            span_end=n * 100 + 50,
            token_count=12 + n,
        )
    return document


def make_session(*, turns: int, who: str = "visitor", traced: bool = True, **fields: Any) -> Any:
    session = Session.objects.create(
        end_user=end_user_for_device(device=who),
        opened_by=str(uuid4()),
        title=f"About {who}",
        turn_count=turns,
    )
    for n in range(1, turns + 1):
        make_turn(session, n, traced=traced, **fields)
    return session


def make_turn(session: Any, n: int, *, traced: bool = True, trace: Any = None, **fields: Any) -> Any:
    values = {
        "message": f"and the RPO {n}?",
        "query": f"and the RPO {n} Dublin recovery?",
        "kind": "follow_up",
        "verdict": "clean",
        "state": TurnState.COMPLETED,
        "answer": "Five minutes [1].",
        "citations": [{"n": 1, "title": "Regions", "heading_path": ["Dublin"], "page": 3}],
        "engine": {"kind": "offline", "label": "Offline engine"},
        **fields,
    }
    turn = Turn.objects.create(session=session, n=n, client_id=f"c{n}", **values)
    if traced:
        TurnTrace.objects.create(turn=turn, data=trace or make_trace(n))
    return turn


def make_trace(n: int, **more: Any) -> dict[str, Any]:
    slot = {"id": "s1", "name": "Dublin", "type": "place", "status": "live", "introduced_turn": 1}
    slot |= {"last_mention_turn": n, "superseded_by": None}
    change = {"slot_id": "s1", "name": "Dublin", "type": "place", "before": None, "after": "live"}
    change |= {"happened": "named", "turn": 1}
    return {
        "stages": [{"name": "load", "at": 0, "ms": 6.5}, {"name": "answer", "at": 7, "ms": 41.0}],
        "classification": {
            "kind": "follow_up",
            "dependent": True,
            "topic_shift": False,
            "evidence": [{"sign": "ellipsis", "detail": "and the", "weight": 0.5}],
            "affinities": [
                {
                    "turn": 1,
                    "total": 0.9,
                    "user": 0.4,
                    "answer": 0.3,
                    "best": 0.5,
                    "words": 0.1,
                    "sentence": 0,
                }
            ],
        },
        "scope": {
            "strategy": "liveness",
            "exchanges": [{"turn": 1, "message": "What is the RTO?", "answer": "45 minutes"}],
            "slots": [slot],
            "closed": [],
            "antecedent": 1,
            "evidence": [],
        },
        "rewrite": {"query": f"and the RPO {n} Dublin recovery?", "origin": "offline"},
        "ruling": {
            "query": "",
            "verdict": "clean",
            "action": "accepted",
            "origin": "offline",
            "objections": [],
            "offending": [],
        },
        "revoked": {"slots": [], "turns": []},
        "queries": [{"text": "and the RPO Dublin", "dense": 1.5, "lexical": 0.2}],
        "candidates": [
            {
                "chunk": str(uuid4()),
                "document": str(uuid4()),
                "title": "Regions",
                "heading_path": ["Dublin"],
                "page": 3,
                "score": 0.03279,
                "dense_rank": 1,
                "lexical_rank": None,
                "dense_score": 0.71,
                "lexical_score": None,
                "chosen": True,
            }
        ],
        "novelty": 0.5,
        "tokens": {"message": 12, "system": 88, "passages": 300, "summary": 0},
        "model_calls": 1,
        "memory": {"turn": n, "segment": 0, "slots": [slot], "changes": [change] if n == 1 else []},
        **more,
    }


def make_part(session: Any, first: int, last: int, text: str, **fields: Any) -> Any:
    values = {"level": 1, "engine": "offline", "entities": [], "chunks": [], **fields}
    return SummaryPart.objects.create(session=session, first_turn=first, last_turn=last, text=text, **values)


def make_fact(session: Any, turn: int, statement: str, value: str, **fields: Any) -> Any:
    entity = fields.pop("entity", "Dublin")
    values = {"said_by": "assistant", "kind": "number", "key": key_of(entity), "chunks": [], **fields}
    position = LedgerFact.objects.filter(session=session).count()
    return LedgerFact.objects.create(
        session=session, position=position, turn=turn, entity=entity, fact=statement, value=value, **values
    )


def make_joined(session: Any, n: int, message: str) -> Any:
    """A message that waits to be `joined_to` a later one."""
    fields = {"kind": "", "query": "", "verdict": "", "answer": "", "citations": [], "engine": None}
    return make_turn(session, n, traced=False, message=message, state=TurnState.JOINED, **fields)


def joined_to(carrier: Any, *earlier: Any) -> None:
    Turn.objects.filter(pk__in=[turn.pk for turn in earlier]).update(joined_to=carrier)
