"""Who answers in a session now: at most one process, and not for long after that one has died."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

from django.db.models import Q

from conversations.models import Session
from kernel.clock import now

LEASE = timedelta(seconds=8)


def lease_acquire(*, session_id: UUID) -> UUID | None:
    """A token to answer in this session, or None while another process holds it."""
    token, moment = uuid4(), now()
    free = Q(lease_until=None) | Q(lease_until__lt=moment)
    taken = Session.objects.filter(free, pk=session_id).update(lease_token=token, lease_until=moment + LEASE)
    return token if taken else None


def lease_renew(*, session_id: UUID, token: UUID) -> bool:
    """Hold on to it for another while. False when it has been lost."""
    return bool(Session.objects.filter(pk=session_id, lease_token=token).update(lease_until=now() + LEASE))


def lease_release(*, session_id: UUID, token: UUID, event_seq: int) -> None:
    Session.objects.filter(pk=session_id, lease_token=token).update(
        lease_until=None, lease_token=None, event_seq=event_seq
    )
