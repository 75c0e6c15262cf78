"""Opening and ending sessions, and storing what they remember."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q

from conversations.models import DeletionReason, Session, SessionState
from conversations.selectors import access_session
from conversations.services.retention import sessions_delete
from kernel.clock import now
from tenants.acting import Actor, acting_as, or_else

TITLE_LENGTH = 60


def session_open(*, end_user_id: UUID, client_id: str, first_message: str) -> Session:
    """The session that this message opens; the same message never opens two. The person's other ones end with it."""
    session, created = Session.objects.get_or_create(
        end_user_id=end_user_id,
        opened_by=client_id,
        defaults={"title": title_from(first_message)},
    )
    if created:
        others = Session.objects.filter(end_user_id=end_user_id, ended_at=None).exclude(pk=session.pk)
        others.update(ended_at=now())
    return session


def session_end(*, session_id: UUID, end_user_id: UUID) -> None:
    """The person has finished with it; another message in it opens it again. Raises `SessionNotFound`."""
    session = access_session(session_id=session_id, end_user_id=end_user_id)
    Session.objects.filter(pk=session.pk).update(ended_at=now())


def session_delete(*, session_id: UUID, end_user_id: UUID) -> None:
    """Delete a conversation's rows for good. Raises `SessionNotFound`. `retention.session_erase` takes Valkey along."""
    session = access_session(session_id=session_id, end_user_id=end_user_id)
    with acting_as(or_else(Actor("end_user", str(end_user_id)))):
        sessions_delete(Q(pk=session.pk), DeletionReason.END_USER)


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
