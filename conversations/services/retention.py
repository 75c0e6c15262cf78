"""Deleting conversations for good: because the person says so, or because the tenant does not keep them so long.

Valkey is emptied before the database and told after it: a process that dies in between leaves a session that is still
there and is deleted by the next attempt, never text without a session. What was deleted is counted, not described.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from conversations import errors
from conversations.adapters import session_cache
from conversations.adapters.event_log import EventLog
from conversations.audits.notices import notices_forget
from conversations.models import DeletionReason, DeletionReceipt, Session
from conversations.selectors import access_session
from conversations.selectors.retention import retention_due
from tenants.acting import Actor, acting_as, or_else
from tenants.services.audit import audit_record
from tenants.threads import in_thread

BATCH = 20
ERASED_AT_ONCE = 100
Counted = Callable[[dict[str, int]], None]


@dataclass(frozen=True, slots=True)
class Doomed:
    """A session to delete, with what its copies in Valkey are found by."""

    session_id: UUID
    end_user_id: UUID
    event_seq: int


async def session_erase(
    *, session_id: UUID, end_user_id: UUID, reason: DeletionReason = DeletionReason.END_USER
) -> None:
    """Delete the end user's conversation everywhere and tell the tabs that show it. Raises `SessionNotFound`."""
    session = await in_thread(access_session, session_id=session_id, end_user_id=end_user_id)
    doomed = Doomed(session.pk, session.end_user_id, session.event_seq)
    await _erase_copies(doomed)
    with acting_as(or_else(Actor("end_user", str(end_user_id)))):
        mine = Q(pk=session_id, end_user_id=end_user_id)
        if not await in_thread(sessions_delete, mine, reason):
            raise errors.SessionNotFound
    await _tell(doomed)


async def sessions_purge(*, tenant_id: UUID, batch: int = BATCH) -> int:
    """Delete what the current tenant does not keep any longer; returns how many sessions. Safe to run twice at once."""
    due = await in_thread(retention_due, tenant_id=tenant_id)
    purged = 0
    while due is not None:
        doomed = [Doomed(*row) for row in await in_thread(_some, due.sessions, batch)]
        erased = [one for one in doomed if await _erase_copies(one)]
        condition = due.sessions & Q(pk__in=[one.session_id for one in erased])
        gone = await in_thread(sessions_delete, condition, due.reason)
        for one in erased:
            if one.session_id in gone:
                await _tell(one)
        purged += len(gone)
        if not gone or len(doomed) < batch:
            break
    return purged


def _some(due: Q, batch: int) -> list[tuple[UUID, UUID, int]]:
    sessions = Session.objects.filter(due).order_by("updated_at")
    return list(sessions.values_list("pk", "end_user_id", "event_seq")[:batch])


async def sessions_erase(condition: Q, *, record: Counted, batch: int = ERASED_AT_ONCE) -> None:
    """Delete every session of the current tenant that meets the condition, those in which somebody works included.

    `record` is told the rows of each batch, in the transaction that deletes them.
    """
    while rows := await in_thread(_some, condition, batch):
        doomed = [Doomed(*row) for row in rows]
        if not all([await _erase_copies(one) for one in doomed]):
            raise ConnectionError("Valkey is out of reach, and with it copies of conversations")
        these = Q(pk__in=[one.session_id for one in doomed])
        await in_thread(partial(sessions_delete, these, DeletionReason.ERASURE, record=record))
        for one in doomed:
            await _tell(one)


@transaction.atomic
def sessions_delete(condition: Q, reason: DeletionReason, *, record: Counted | None = None) -> Sequence[UUID]:
    """Delete the sessions that meet the condition, with every row that belongs to them, and leave a receipt.

    The sessions are locked first and the condition holds for the locked row, so that one in which somebody has begun
    to write again meanwhile is not deleted for having been silent. Returns the ids of those deleted.
    """
    locked = Session.objects.select_for_update(of=("self",)).filter(condition).order_by("pk")
    ids = list(locked.values_list("pk", flat=True))
    if not ids:
        return ()
    notices_forget(session_ids=ids)
    _, rows = Session.objects.filter(pk__in=ids).delete()
    counts = {label.rpartition(".")[2]: count for label, count in sorted(rows.items()) if count}
    DeletionReceipt.objects.create(reason=reason, counts=counts)
    if record is not None:
        record(counts)
    audit_record("conversations.deleted", sessions=[str(id) for id in ids], reason=str(reason), rows=counts)
    return ids


async def _erase_copies(doomed: Doomed) -> bool:
    return await session_cache.erase(end_user_id=doomed.end_user_id, session_id=doomed.session_id)


async def _tell(doomed: Doomed) -> None:
    """Erase what was written meanwhile too."""
    await EventLog(doomed.session_id, floor=doomed.event_seq).end("session.deleted")
    await session_cache.forget(end_user_id=doomed.end_user_id, session_id=doomed.session_id)
