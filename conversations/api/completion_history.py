"""Which conversation a request without a session goes on with: told by the history that its client sends.

Programs made for OpenAI's API keep the conversation themselves and send all of it each time. Where the history is one
that was held here, word for word, its session goes on, with all that it remembers. Any other history is taken along as
what the person said (`conversations.services.importing`), in a new session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F

from conversations.models import Session, Turn, TurnState

# How far back a conversation is looked for among a person's own.
SESSIONS_LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the history: `role` is user or assistant."""

    role: str
    text: str


def session_of_history(*, end_user_id: UUID, history: Sequence[Said]) -> UUID | None:
    """The end user's session that consists of exactly this history, the latest of several; None for no such."""
    asked = [said.text.strip() for said in history if said.role == "user"]
    answered = [said.text.strip() for said in history if said.role == "assistant"]
    if not asked or not answered:
        return None
    latest = Session.objects.filter(end_user_id=end_user_id).order_by("-updated_at")
    recent = list(latest.values_list("pk", flat=True)[:SESSIONS_LOOKED_AT])
    ending = Turn.objects.filter(session_id__in=recent, message=asked[-1], session__turn_count=F("n"))
    for session_id in ending.order_by("-created_at").values_list("session_id", flat=True):
        if _held(session_id) == (asked, answered):
            return session_id
    return None


def _held(session_id: UUID) -> tuple[list[str], list[str]]:
    """The messages and the answers of a session, as its client was told them."""
    turns = list(Turn.objects.filter(session_id=session_id).order_by("n"))
    asked = [turn.message.strip() for turn in turns]
    told = (TurnState.COMPLETED, TurnState.STOPPED)
    return asked, [turn.answer.strip() for turn in turns if turn.state in told and turn.answer]
