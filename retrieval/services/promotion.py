"""A large tenant's vectors move to a partition of their own, and back, while it is searched and written.

Every step can be killed anywhere and done again. A search sees every vector exactly once, because a move takes the
vectors of some documents at a time from one partition to the other in one transaction, and until the move is over
both are searched. What is written meanwhile goes to where the vectors are going.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Sum

from kernel.clock import now
from kernel.errors import NotFound
from retrieval.models import Document, EmbeddingSpace, Placement
from retrieval.services.equipping import equipment
from tenants.scoping import current_tenant_id

_log = logging.getLogger(__name__)

PROMOTE_PASSAGES = 20_000
"""From here on an exact search takes longer than about 20 ms."""
DEMOTE_SHARE = 0.25
"""A tenant goes back when this much of the threshold is left: not at once, or it would swing to and fro."""
WIDTHS = (100, 200, 400, 800, 1000)
"""What hnsw.ef_search is chosen from; 1000 is the most that pgvector takes."""
WANTED_RECALL = 0.995
MEASURED_AGAIN = 2
"""An index is measured again when it has grown so many times: the more there is in it, the wider it may have to search."""
_DOCUMENTS_AT_ONCE = 25
_UNMEASURED = {"search_width": None, "measured_recall": None, "measured_passages": None}

Report = Callable[[int], None]


def promote_threshold() -> int:
    """Passages in one space from which on a tenant has a partition of its own."""
    return int(settings.ANTECEDENT.get("PROMOTE_PASSAGES", PROMOTE_PASSAGES))


def spaces_due() -> list[UUID]:
    """Spaces of the current tenant that are between two homes, or in one that no longer suits their size."""
    threshold = promote_threshold()
    passages = _passages_by_space()
    due = []
    for space in EmbeddingSpace.objects.order_by("created_at"):
        size = passages.get(space.id, 0)
        grown = space.placement == Placement.SHARED and size >= threshold
        shrunk = space.placement == Placement.OWN and size < threshold * DEMOTE_SHARE
        if (
            grown
            or shrunk
            or _has_outgrown(space, size)
            or space.placement in (Placement.MOVING, Placement.RETURNING)
        ):
            due.append(space.id)
    return due


def space_place(*, space_id: UUID) -> EmbeddingSpace:
    """Bring a space to where its size says, or end the move that is under way. Raises NotFound, PlacementBusy."""
    space = _found(space_id)
    if space.placement == Placement.RETURNING:
        return space_demote(space_id=space_id)
    small = _passages_by_space().get(space_id, 0) < promote_threshold() * DEMOTE_SHARE
    if space.placement == Placement.OWN and small:
        return space_demote(space_id=space_id)
    return space_promote(space_id=space_id)


def space_promote(*, space_id: UUID, report: Report | None = None) -> EmbeddingSpace:
    """Move a space's vectors to a partition of their own and index them. Doing it twice does it once.

    `report` is told how many vectors each step moved. Not inside a transaction. Raises NotFound, PlacementBusy.
    """
    homes, tenant_id = equipment().homes, current_tenant_id()
    space = _found(space_id)
    if space.placement == Placement.OWN:
        _move_all(space, Placement.OWN, report)
        if _has_outgrown(space, _passages_by_space().get(space_id, 0)):
            _measured(space, Placement.OWN)
        return _found(space_id)
    homes.open(tenant_id=tenant_id, space_id=space_id)
    if not _becomes(space, Placement.MOVING, Placement.SHARED, Placement.RETURNING, Placement.MOVING):
        return _found(space_id)
    if not _move_all(space, Placement.MOVING, report):
        return _found(space_id)
    if not homes.build(space_id=space_id, dimensions=space.dimensions):
        return _found(space_id)
    _measured(space, Placement.MOVING)
    return _found(space_id)


def space_demote(*, space_id: UUID, report: Report | None = None) -> EmbeddingSpace:
    """Move a space's vectors back to the shared partition. Doing it twice does it once.

    Not inside a transaction. Raises NotFound, and PlacementBusy when it has to be tried again later.
    """
    homes = equipment().homes
    space = _found(space_id)
    away = (Placement.MOVING, Placement.OWN, Placement.RETURNING)
    if not _becomes(space, Placement.RETURNING, *away):
        return space
    if _move_all(space, Placement.RETURNING, report) and homes.close(space_id=space_id):
        _becomes(space, Placement.SHARED, Placement.RETURNING, **_UNMEASURED)
    return _found(space_id)


def _found(space_id: UUID) -> EmbeddingSpace:
    space = EmbeddingSpace.objects.filter(id=space_id).first()
    if space is None:
        raise NotFound(what="embedding space")
    return space


def _becomes(space: EmbeddingSpace, new: Placement, *old: Placement, **fields: object) -> bool:
    """Waits for writes under way, which hold the row: they still go where it said."""
    rows = EmbeddingSpace.objects.filter(id=space.id, placement__in=old)
    return bool(rows.update(placement=new, placed_at=now(), **fields))


def _move_all(space: EmbeddingSpace, during: Placement, report: Report | None) -> bool:
    """Document by document, and again for those that were in work. False when somebody changed the direction."""
    homes, tenant_id = equipment().homes, current_tenant_id()
    after: UUID | None = None
    while True:
        with transaction.atomic():
            if not EmbeddingSpace.objects.filter(id=space.id, placement=during).exists():
                return False
            own = during != Placement.RETURNING
            moved = homes.move(
                tenant_id=tenant_id, space_id=space.id, own=own, after=after, limit=_DOCUMENTS_AT_ONCE
            )
        if report is not None and moved.vectors:
            report(moved.vectors)
        if moved.last is None:
            return True
        after = moved.last


def _has_outgrown(space: EmbeddingSpace, size: int) -> bool:
    """Whether the index has grown much since it was measured, or was measured before that was written down."""
    return space.placement == Placement.OWN and size >= MEASURED_AGAIN * (space.measured_passages or 1)


def _measured(space: EmbeddingSpace, during: Placement) -> None:
    """Searched by its index from now on, as wide as it has to be."""
    size = _passages_by_space().get(space.id, 0)
    width, recall = _search_width(space)
    told = {"search_width": width, "measured_recall": recall, "measured_passages": size}
    if _becomes(space, Placement.OWN, during, **told):
        _log.info("space %s is searched by index: ef_search %s, recall %.3f", space.id, width, recall)


def _search_width(space: EmbeddingSpace) -> tuple[int, float]:
    """The narrowest search of the index that finds what an exact one finds, and the share it finds."""
    measured = equipment().homes.measure(space_id=space.id, dimensions=space.dimensions, widths=WIDTHS)
    best = (WIDTHS[-1], 0.0)
    for best in measured:
        if best[1] >= WANTED_RECALL:
            break
    return best


def _passages_by_space() -> dict[UUID, int]:
    rows = Document.objects.filter(generation__gt=0).values(space=F("corpus__space_id"))
    return {row["space"]: row["passages"] for row in rows.annotate(passages=Sum("chunk_count"))}
