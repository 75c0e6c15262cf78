"""Erasing an end user, or a whole tenant, for good, and keeping a receipt of it that says nothing of what was there.

Every application erases its own, in pieces: each piece is deleted and counted in one transaction, so that a worker
killed anywhere leaves a receipt that is true, and the next goes on with what is left. Nothing is deleted twice and
nothing is counted twice.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Q

from kernel.clock import now
from kernel.errors import NotFound
from tenants.acting import current_actor
from tenants.models import EndUser, Erasure, ErasureState, Tenant, TenantErasure
from tenants.scoping import current_tenant_id, tenant_scope
from tenants.services.audit import audit_record
from tenants.services.fairness import wake
from tenants.standing import Ground, standing_changed

log = logging.getLogger(__name__)

WORK = "data"
LEASE = timedelta(minutes=2)

Counts = Mapping[str, int]
Record = Callable[[Counts], None]
"""Adds to the receipt; called in the transaction that deletes, or before files go. Raises when the work was taken over."""


class EraserTakenOver(Exception):
    """Another worker goes on with this erasure."""


@dataclass(frozen=True, slots=True)
class Eraser:
    """How one application erases its own: all that belongs to an end user, all of the current tenant.

    Each deletes in bounded pieces until nothing is left, and may be called again at any point.
    """

    name: str
    of_end_user: Callable[[UUID, Record], None]
    of_tenant: Callable[[Record], None]


_erasers: dict[str, Eraser] = {}
_ORDER = ("conversations", "retrieval", "tenants")
"""From the top down: what refers goes before what is referred to."""


def eraser_register(eraser: Eraser) -> None:
    _erasers[eraser.name] = eraser


def erasers() -> list[Eraser]:
    return sorted(_erasers.values(), key=lambda one: _ORDER.index(one.name))


@transaction.atomic
def end_user_erase_request(*, end_user_id: UUID) -> Erasure:
    """Have an end user erased in the background; asked for again, it is the same erasure. Raises `NotFound`."""
    running = Erasure.objects.filter(end_user_id=end_user_id).first()
    if running is not None:
        return running
    end_user = EndUser.objects.filter(pk=end_user_id).first()
    if end_user is None:
        raise NotFound(what="end user")
    actor = current_actor()
    by = {"actor": actor.kind, "actor_id": actor.id}
    erasure = Erasure.objects.create(end_user_id=end_user_id, subject=end_user.subject, **by)
    audit_record("end_user.erasure_requested", target=str(erasure.pk))
    transaction.on_commit(partial(wake, WORK, current_tenant_id()), robust=True)
    return erasure


@transaction.atomic
def tenant_erase_request(*, tenant_id: UUID) -> TenantErasure:
    """Suspend a tenant at once and have everything of it erased in the background; the door queues
    `tenant_erase_task`. Asked for again, it is the same erasure. Raises `NotFound`."""
    known = TenantErasure.objects.filter(erased_tenant_id=tenant_id).first()
    if known is not None:
        return known
    tenant = Tenant.objects.select_for_update().filter(pk=tenant_id).first()
    if tenant is None:
        raise NotFound(what="workspace")
    tenant.suspended_at = tenant.suspended_at or now()
    tenant.save(update_fields=["suspended_at"])
    standing_changed(Ground.TENANT, tenant_id)
    actor = current_actor()
    by = {"actor": actor.kind, "actor_id": actor.id}
    erasure = TenantErasure.objects.create(erased_tenant_id=tenant_id, slug=tenant.slug, **by)
    with tenant_scope(tenant_id):
        audit_record("workspace.erasure_requested", target=str(erasure.pk))
    return erasure


def erasures_waiting() -> Any:
    """Erasures of end users of the current tenant that nobody works on, the longest waiting first."""
    return _free(Erasure)


def tenant_erasures_waiting() -> list[UUID]:
    return list(_free(TenantErasure).values_list("pk", flat=True))


def erasure_serve() -> bool:
    """Erase the end user of the current tenant who waits longest. False when none waits."""
    erasure = _take(Erasure)
    if erasure is None:
        return False
    try:
        _each(erasure, lambda eraser, record: eraser.of_end_user(erasure.end_user_id, record))
        _finish_end_user(erasure)
    except EraserTakenOver:
        log.info("erasure %s: another worker goes on with it", erasure.pk)
    return True


def tenant_erase(*, erasure_id: UUID) -> bool:
    """Erase a whole tenant, or go on where a killed worker stopped. False when somebody else does, or it is done."""
    from tenants.services.erasing_tenant import remove_last

    erasure = _take(TenantErasure, pk=erasure_id)
    if erasure is None:
        return False
    try:
        with tenant_scope(erasure.erased_tenant_id):
            _each(erasure, lambda eraser, record: eraser.of_tenant(record))
            remove_last(recording(erasure))
        _renew(erasure, **_done())
    except EraserTakenOver:
        log.info("erasure %s: another worker goes on with it", erasure.pk)
    return True


def recording(erasure: Erasure | TenantErasure) -> Record:
    """What adds to this receipt, under the lock of its row."""

    @transaction.atomic
    def record(counts: Counts) -> None:
        held = (
            type(erasure).objects.select_for_update().filter(pk=erasure.pk, lease_token=erasure.lease_token)
        )
        row: Erasure | TenantErasure | None = held.first()
        if row is None:
            raise EraserTakenOver
        total = Counter(row.counts)
        total.update({name: n for name, n in counts.items() if n})
        _renew(erasure, counts=dict(sorted(total.items())))

    return record


def _each(erasure: Any, erase: Callable[[Eraser, Record], None]) -> None:
    steps = erasers()
    for done, eraser in enumerate(steps):
        erase(eraser, recording(erasure))
        _renew(erasure, progress=(done + 1) / (len(steps) + 1))


@transaction.atomic
def _finish_end_user(erasure: Erasure) -> None:
    """From here on nobody can say whose it was."""
    _renew(erasure, **_done(), end_user_id=None, subject="")
    counts = Erasure.objects.values_list("counts", flat=True).get(pk=erasure.pk)
    audit_record("end_user.erased", target=str(erasure.pk), counts=counts)


def _done() -> dict[str, Any]:
    ends = {"lease_token": None, "lease_until": None, "finished_at": now()}
    return {**ends, "state": ErasureState.DONE, "progress": 1.0}


def _free(model: Any) -> Any:
    free = Q(lease_until=None) | Q(lease_until__lt=now())
    return model.objects.filter(free).exclude(state=ErasureState.DONE).order_by("created_at")


@transaction.atomic
def _take(model: Any, **narrow: Any) -> Any:
    erasure = _free(model).filter(**narrow).select_for_update(of=("self",), skip_locked=True).first()
    if erasure is not None:
        erasure.lease_token = uuid4()
        erasure.lease_until, erasure.state = now() + LEASE, ErasureState.RUNNING
        erasure.save(update_fields=["lease_token", "lease_until", "state"])
    return erasure


def _renew(erasure: Any, **fields: Any) -> None:
    held = type(erasure).objects.filter(pk=erasure.pk, lease_token=erasure.lease_token)
    if not held.update(**{"lease_until": now() + LEASE, **fields}):
        raise EraserTakenOver
