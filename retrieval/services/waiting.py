"""The documents of a tenant that wait for a worker: they wait here, in the database, and nowhere else.

`queued_at` is the moment from which a document may be taken; the longest waiting is first. Whose turn it is among
tenants is decided elsewhere (`tenants.services.fairness`).
"""

from __future__ import annotations

import random
from datetime import timedelta
from uuid import UUID

from django.db.models import Q, QuerySet

from kernel.clock import now
from kernel.errors import DomainError
from retrieval.domain.lanes import LARGE_BYTES
from retrieval.models import UNFINISHED, Document
from retrieval.services.indexing import Progress, document_index_slice

CANDIDATES = 4
"""More than one: another worker may be taking the first at this moment."""
SOON = timedelta(seconds=60)
"""What may be taken later than this is found by the sweep."""


def documents_wait() -> bool:
    """Whether a document of the current tenant can be taken now."""
    return _takable().filter(queued_at__lte=now()).exists()


def document_serve() -> float | None:
    """Index the longest waiting document for a while. Says in how many seconds there is another; None if not soon."""
    for document_id in _takable().filter(queued_at__lte=now()).values_list("id", flat=True)[:CANDIDATES]:
        if _served(document_id):
            break
    return _next()


def _served(document_id: UUID) -> bool:
    """False when another worker was quicker."""
    try:
        done = document_index_slice(document_id=document_id)
    except DomainError:
        # Back in the queue with its reason; the more often it has failed, the longer it waits.
        _put_off(document_id)
        return True
    if done.pause:
        _put_off_large(done.pause)
    return done.progress is not Progress.NOTHING


def _takable() -> QuerySet[Document]:
    """Unfinished and held by nobody, or by somebody who has died."""
    free = Q(lease_until=None) | Q(lease_until__lt=now())
    return Document.objects.filter(free, state__in=UNFINISHED).order_by("queued_at", "uploaded_at")


def _next() -> float | None:
    """Until a document may be taken, or the lease ends of one that another worker holds, should that one die."""
    moment = now()
    soon = _takable().filter(queued_at__lt=moment + SOON).values_list("queued_at", flat=True).first()
    held = Document.objects.filter(state__in=UNFINISHED, lease_until__gte=moment)
    ends = held.order_by("lease_until").values_list("lease_until", flat=True).first()
    waits = [max(0.0, (one - moment).total_seconds()) for one in (soon, ends) if one is not None]
    return min(waits, default=None)


def _put_off(document_id: UUID) -> None:
    waiting = Document.objects.filter(id=document_id, lease_token=None, state__in=UNFINISHED)
    for failures in waiting.values_list("failures", flat=True):
        seconds = min(60.0, 2.0**failures * random.uniform(1, 3))  # noqa: S311
        waiting.update(queued_at=now() + timedelta(seconds=seconds))


def _put_off_large(seconds: float) -> None:
    """While one large document is being read, none of the others needs to be asked for."""
    unread = _takable().filter(size__gte=LARGE_BYTES, found={})
    later = now() + timedelta(seconds=seconds)
    unread.filter(queued_at__lt=later).update(queued_at=later)
