"""Opening and deleting sessions."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from conversations.models import Session, SessionState
from conversations.selectors import access_session

TITLE_LENGTH = 60


def session_open(*, end_user_id: UUID, client_id: str, first_message: str) -> Session:
    """The session that this message opens; the same message never opens two."""
    session, _ = Session.objects.get_or_create(
        end_user_id=end_user_id,
        opened_by=client_id,
        defaults={"title": title_from(first_message)},
    )
    return session


@transaction.atomic
def session_delete(*, session_id: UUID, end_user_id: UUID) -> None:
    """Delete a conversation for good: turns, traces, state. Raises `SessionNotFound`."""
    access_session(session_id=session_id, end_user_id=end_user_id).delete()


def session_state_save(*, session_id: UUID, version: int, data: dict[str, object]) -> bool:
    """Store the state unless a newer one is there already. Says whether it was stored."""
    updated = SessionState.objects.filter(session_id=session_id, version__lt=version).update(
        version=version, data=data
    )
    if updated:
        return True
    _, created = SessionState.objects.get_or_create(
        session_id=session_id, defaults={"version": version, "data": data}
    )
    return created


def title_from(message: str) -> str:
    """A conversation's title: its first message, cut at a word."""
    line = " ".join(message.split())
    if len(line) <= TITLE_LENGTH:
        return line
    return line[:TITLE_LENGTH].rsplit(" ", 1)[0] + "…"
