"""What a turn tells while it runs: the query it decided on, the sources it found, the answer as it grows, the end.

Doors forward these as they come; the evaluator reads them and needs nothing else.
An answer piece says at which character it belongs, so that hearing one twice, or a second attempt, changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conversations.domain.answer import Citation
from conversations.domain.ports import Candidate
from conversations.domain.state import ConversationState
from kernel.json import JsonObject


@dataclass(frozen=True, slots=True)
class QueryDecided:
    """The standalone query, its wording for people, and what was decided about it."""

    query: str
    display: str
    kind: str
    rewritten: bool
    verdict: str

    def as_seen(self) -> dict[str, Any]:
        """As clients see it: small talk is not searched for, so there is no query."""
        searched = self.kind != "small_talk"
        return {
            "query": self.query if searched else "",
            "display": self.display if searched else "",
            "kind": self.kind,
            "rewritten": self.rewritten,
            "verdict": self.verdict,
        }


@dataclass(frozen=True, slots=True)
class SourcesFound:
    """The passages the answer may use, best first, numbered as the answer cites them."""

    candidates: tuple[Candidate, ...]
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """`text` belongs at character `at`; whatever stood from there on is replaced."""

    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Engine:
    """Who answered: `mode` is "offline" or "model"."""

    mode: str
    label: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the person should know about this answer."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """The outcome: what is shown, what is remembered, and everything that happened."""

    decided: QueryDecided
    answer: str
    citations: tuple[Citation, ...]
    engine: Engine
    notice: Notice | None
    state: ConversationState
    trace: JsonObject
    stopped: bool = False


TurnEvent = QueryDecided | SourcesFound | AnswerPiece | TurnFinished
