"""Reading sessions and turns. Whatever takes an id also takes the person who asks, and checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from conversations import errors
from conversations.models import UNFINISHED, Session, Turn
from kernel.clock import now
from kernel.json import json_read
from tenants.postgres.statements import Asked, Statement, answer

_KNOWN, _OWNER, _STATE = (
    Statement.named("conversations", name) for name in ("turn_known", "session_owner", "state_of")
)


def access_session(*, session_id: UUID, end_user_id: UUID) -> Session:
    """The end user's own session. Raises `SessionNotFound` for anybody else's, as for none at all."""
    session = Session.objects.filter(pk=session_id, end_user_id=end_user_id).first()
    if session is None:
        raise errors.SessionNotFound
    return session


def access_turn(*, turn_id: UUID, end_user_id: UUID) -> Turn:
    """A turn of the end user's own session. Raises `TurnNotFound`."""
    turn = Turn.objects.filter(pk=turn_id, session__end_user_id=end_user_id).first()
    if turn is None:
        raise errors.TurnNotFound
    return turn


def turn_known_asked(*, end_user_id: UUID, session_id: UUID | None, client_id: str) -> Asked[bool]:
    """The question whether the message with this client id is here already."""
    values = {"end_user_id": end_user_id, "session_id": session_id, "client_id": client_id}
    return Asked(_KNOWN, values, lambda rows: bool(rows[0][0]))


def turns_unfinished() -> int:
    """Turns of the tenant that wait for an answer or are being answered."""
    return Turn.objects.filter(state__in=UNFINISHED).count()


def session_newest(*, end_user_id: UUID) -> Session | None:
    return Session.objects.filter(end_user_id=end_user_id).order_by("-updated_at").first()


def sessions_of(*, end_user_id: UUID, limit: int = 50) -> list[dict[str, Any]]:
    """The end user's conversations, newest first."""
    sessions = Session.objects.filter(end_user_id=end_user_id).order_by("-updated_at")[:limit]
    return [
        {
            "id": str(session.id),
            "title": str(session),
            "updated": session.updated_at.isoformat(),
            "turns": session.turn_count,
        }
        for session in sessions
    ]


def turns_of(*, session_id: UUID) -> list[Turn]:
    return list(Turn.objects.filter(session_id=session_id).order_by("n"))


def turns_joined_to(*, turn_id: UUID) -> tuple[Turn, ...]:
    """The earlier messages that are answered together with this one, oldest first."""
    return tuple(Turn.objects.filter(joined_to_id=turn_id).order_by("n"))


def session_waits(*, session_id: UUID) -> bool:
    """Whether a turn of the session still needs an answer."""
    return Turn.objects.filter(session_id=session_id, state__in=UNFINISHED).exists()


def session_owner(*, session_id: UUID) -> UUID | None:
    """Whose the session is; None when there is none."""
    return next((owner for (owner,) in _OWNER.fetch({"session_id": session_id})), None)


def state_of(*, session_id: UUID, end_user_id: UUID) -> dict[str, Any] | None:
    """The durable copy of what the end user's own session remembers."""
    values = {"session_id": session_id, "end_user_id": end_user_id}
    return answer(Asked(_STATE, values, lambda rows: json_read(rows[0][0]) if rows else None))


def sessions_abandoned() -> Sequence[UUID]:
    """Sessions of the current tenant with an unfinished turn that no living process answers."""
    waiting = Turn.objects.filter(state__in=UNFINISHED).values("session_id")
    held = Session.objects.filter(pk__in=waiting, lease_until__gt=now()).values("pk")
    return list(Session.objects.filter(pk__in=waiting).exclude(pk__in=held).values_list("pk", flat=True))


def turn_as_seen(turn: Turn) -> dict[str, Any]:
    """A turn in the shape of the protocol (conversations/widget/docs/protocol.md)."""
    return {
        "id": str(turn.id),
        "client_id": turn.client_id,
        "n": turn.n,
        "text": turn.message,
        "state": turn.state,
        "joined_to": str(turn.joined_to_id) if turn.joined_to_id else None,
        "query": turn.query,
        "display": turn.display,
        "kind": turn.kind,
        "rewritten": turn.rewritten,
        "verdict": turn.verdict,
        "answer": turn.answer,
        "citations": turn.citations,
        "engine": turn.engine,
        "notice": turn.notice,
        "error": turn.error,
        "rating": turn.rating or "none",
        "created": turn.created_at.isoformat(),
    }
