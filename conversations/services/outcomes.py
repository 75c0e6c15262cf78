"""How a turn's end is stored."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from conversations.domain.answer import Citation
from conversations.domain.turn_events import TurnFinished
from conversations.models import TurnState
from kernel.errors import DomainError


def finished(end: TurnFinished) -> dict[str, Any]:
    return {
        "state": TurnState.STOPPED if end.stopped else TurnState.COMPLETED,
        **end.decided.as_seen(),
        "answer": end.answer,
        "citations": [citation_as_seen(citation) for citation in end.citations],
        "engine": asdict(end.engine),
        "notice": asdict(end.notice) if end.notice else None,
        "error": None,
    }


def broken(error: DomainError) -> dict[str, Any]:
    shown = {"code": error.code, "message": error.message, "retryable": error.retryable}
    return {"state": TurnState.FAILED, "error": shown}


def citation_as_seen(citation: Citation) -> dict[str, Any]:
    """A citation in the shape of the protocol."""
    return {
        "n": citation.n,
        "chunk": citation.chunk_id,
        "document": citation.document_id,
        "title": citation.title,
        "heading_path": list(citation.heading_path),
        "page": citation.page,
        "snippet": citation.snippet,
        "quotes": list(citation.quotes),
    }
