"""A visitor says who they are: what their device has asked before becomes the known person's.

Only the device's own token opens its conversations, whoever signs in. Valkey is emptied before the database is told
and again after it, so that no copy under the old owner outlives the change; tabs of the device are sent away.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Subquery

from conversations.adapters import session_cache
from conversations.adapters.event_log import session_moved
from conversations.models import Session
from tenants.acting import acting_as, end_user_actor
from tenants.devices import device_of
from tenants.models import EndUser, EndUserKind
from tenants.scoping import current_tenant_id
from tenants.services.audit import audit_record
from tenants.threads import in_thread


async def sessions_adopt(*, device_token: str, end_user: EndUser) -> int:
    """Give the device's conversations to the person; returns how many. None for a token that counts for nothing.

    Doing it again changes nothing, and conversations of another device are out of reach.
    """
    device = device_of(current_tenant_id(), device_token)
    visitor = await in_thread(_visitor, device) if device else None
    if visitor is None or visitor == end_user.pk:
        return 0
    held = await in_thread(_sessions_of, visitor)
    await _forget(visitor, held)
    moved = await in_thread(_move, visitor, end_user)
    await _forget(visitor, moved)
    for session_id in moved:
        await session_moved(session_id, owner=end_user.pk)
    return len(moved)


def _visitor(device: str) -> UUID | None:
    people = EndUser.objects.filter(subject=f"device:{device}", kind=EndUserKind.ANONYMOUS)
    return people.values_list("pk", flat=True).first()


def _sessions_of(visitor: UUID) -> list[UUID]:
    return list(Session.objects.filter(end_user_id=visitor).values_list("pk", flat=True))


async def _forget(owner: UUID, sessions: Sequence[UUID]) -> None:
    for session_id in sessions:
        await session_cache.forget(end_user_id=owner, session_id=session_id)


@transaction.atomic
def _move(visitor: UUID, end_user: EndUser) -> list[UUID]:
    """The rows, under lock; `updated_at` stays, so that the lists keep their order."""
    mine = Session.objects.select_for_update(of=("self",)).filter(end_user_id=visitor).order_by("pk")
    moved = list(mine.values_list("pk", flat=True))
    if moved:
        _make_room(moved, end_user)
        Session.objects.filter(pk__in=moved).update(end_user=end_user)
        with acting_as(end_user_actor(end_user)):
            audit_record(
                "sessions.adopted", target=str(end_user.pk), visitor=str(visitor), sessions=len(moved)
            )
    return moved


def _make_room(moved: Sequence[UUID], end_user: EndUser) -> None:
    """Client ids are the client's own: one that opened conversations of both stays the known person's."""
    taken = Session.objects.filter(end_user=end_user).values("opened_by")
    for session_id in Session.objects.filter(pk__in=moved, opened_by__in=Subquery(taken)).values_list(
        "pk", flat=True
    ):
        Session.objects.filter(pk=session_id).update(opened_by=f"adopted:{uuid4()}")
