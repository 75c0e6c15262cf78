"""Who answers in a session now: at most one process, and not for long after that one has died."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

from conversations.models import Session
from kernel.clock import now
from tenants.postgres.statements import Asked, Statement, answer, instances_of

LEASE = timedelta(seconds=8)

_TAKE = Statement.named("conversations", "session_take")
_RENEW = Statement.named("conversations", "lease_renew")
_session = instances_of(Session, "id", "tenant_id", "end_user_id", "event_seq", "memory_turn", "last_turn_at")


def lease_asked(*, session_id: UUID, token: UUID) -> Asked[Session | None]:
    """The question for the session under a lease with this token; None while another process holds one."""
    moment = now()
    values = {
        "session_id": session_id,
        "token": token,
        "moment": moment,
        "until": moment + LEASE,
    }
    return Asked(_TAKE, values, lambda rows: _session(rows[0]) if rows else None)


def lease_acquire(*, session_id: UUID) -> UUID | None:
    """A token to answer in this session, or None while another process holds it."""
    token = uuid4()
    return token if answer(lease_asked(session_id=session_id, token=token)) else None


def lease_renew(*, session_id: UUID, token: UUID, turn_id: UUID) -> bool | None:
    """Hold on to it for another while; whether the turn was asked to stop. None when the lease has been lost."""
    values = {
        "session_id": session_id,
        "token": token,
        "turn_id": turn_id,
        "until": now() + LEASE,
    }
    return answer(Asked(_RENEW, values, lambda rows: bool(rows[0][0]) if rows else None))


def lease_release(*, session_id: UUID, token: UUID, event_seq: int) -> None:
    Session.objects.filter(pk=session_id, lease_token=token).update(
        lease_until=None, lease_token=None, event_seq=event_seq
    )
