"""Who indexes a document: one try at a time, by a lease on its row.

A try takes the lease and a number for its chunks. Every write of it renews the lease, and between writes a thread beside
it does (`lease_beats`). A holder that dies is replaced when the lease runs out; one that wakes up late is refused at its
next write.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Case, F, Q, Value, When

from kernel.clock import now
from kernel.errors import DomainError
from retrieval.domain.errors import DocumentGaveUp
from retrieval.domain.sources import Validators
from retrieval.models import UNFINISHED, Chunk, Corpus, Document, DocumentState
from retrieval.services.lease_beats import lease_written
from retrieval.services.spaces import space_for_indexing
from retrieval.services.telling import tell_failed
from tenants.scoping import current_tenant_id

_log = logging.getLogger(__name__)

LEASE = timedelta(seconds=10)
"""How long what a worker has died over waits for another one: some beats of a living one."""
QUEUED_TOO_LONG = timedelta(seconds=60)
FAILURE_LIMIT = 10
CUT = "cut"
"""In `Document.found` while a long document is being cut: the stretch that is next."""


class LeaseLost(Exception):
    """Somebody else indexes this document now, or it was replaced or deleted."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a try has to fetch its file first, and what is known of the version that is in searches."""

    url: str
    content_hash: str
    validators: Validators


@dataclass(frozen=True, slots=True)
class Try:
    """One try to index one document; `found` holds what an earlier slice of it read, if there was one.

    `source` is None for an upload, and for a page that has been fetched already.
    """

    document_id: UUID
    filename: str
    blob_key: str
    attempt: int
    token: UUID
    language: str
    chunking: str
    space_id: UUID
    slices: int
    found: Mapping[str, Any]
    source: Source | None = None

    @property
    def generation(self) -> dict[str, Any]:
        """The chunks of this try, as the index names them."""
        return {
            "tenant_id": current_tenant_id(),
            "document_id": self.document_id,
            "generation": self.attempt,
        }


def documents_due(*, limit: int = 100) -> list[UUID]:
    """Documents of the current tenant whose worker died or whose message got lost, marked as queued now."""
    moment = now()
    with transaction.atomic():
        due = Document.objects.filter(state__in=UNFINISHED).filter(
            Q(lease_until__lt=moment) | Q(lease_until=None, queued_at__lt=moment - QUEUED_TOO_LONG)
        )
        locked = due.order_by("queued_at").select_for_update(skip_locked=True)
        ids = list(locked.values_list("id", flat=True)[:limit])
        Document.objects.filter(id__in=ids).update(queued_at=moment)
    return ids


def lease_take(document_id: UUID, number: int | None) -> Try | None:
    """Take the lease if nobody holds it, and clear away what an earlier try left unpublished."""
    token, moment = uuid4(), now()
    with transaction.atomic():
        document = _waiting(document_id, number, moment)
        if document is None:
            return None
        failures = document.failures + (document.lease_token is not None)
        if failures >= FAILURE_LIMIT:
            _finish(document_id, **_gave_up(failures))
            tell_failed(document_id, DocumentGaveUp(failures=failures))
            return None
        corpus = Corpus.objects.get(id=document.corpus_id)
        space = space_for_indexing(corpus)
        goes_on = document.found.get("space") == str(space.id)
        attempt = document.attempt if goes_on else document.attempt + 1
        kept = [document.generation, attempt] if goes_on else [document.generation]
        Chunk.objects.filter(document_id=document_id).exclude(generation__in=kept).delete()
        fresh = {} if goes_on else {"progress": 0.0, "found": {}}
        Document.objects.filter(id=document_id).update(
            state=DocumentState.EMBEDDING
            if goes_on and CUT not in document.found
            else DocumentState.CONVERTING,
            failures=failures,
            attempt=attempt,
            lease_token=token,
            lease_until=moment + LEASE,
            **fresh,
        )
    return Try(
        document_id,
        document.filename,
        document.blob_key,
        attempt,
        token,
        document.language or corpus.language,
        corpus.chunking,
        space.id,
        document.slices,
        document.found if goes_on else {},
        _source(document) if document.fetch_due else None,
    )


def _source(document: Document) -> Source:
    known = Validators(document.source_etag, document.source_modified)
    return Source(document.source_url, document.content_hash if document.generation else "", known)


def _waiting(document_id: UUID, number: int | None, moment: datetime) -> Document | None:
    """The document, locked, if it waits for a worker and the message is not an old one."""
    free = Q(lease_until=None) | Q(lease_until__lt=moment)
    waiting = Document.objects.filter(free, id=document_id, state__in=UNFINISHED)
    if number is not None:
        waiting = waiting.filter(slices=number)
    return waiting.select_for_update(skip_locked=True).first()


RELEASED: dict[str, Any] = {
    "lease_token": None,
    "lease_until": None,
    "reason_code": "",
    "reason": "",
    "failures": 0,
}


UNKNOWN_AT_SOURCE: dict[str, Any] = {
    "source_etag": "",
    "source_modified": "",
    "content_hash": Case(When(source_url="", then=F("content_hash")), default=Value("")),
}
"""After a failure the version that is in searches is not the one the site sent last: the next try compares nothing."""


def lease_renew(current: Try, **fields: Any) -> None:
    """Every write of a try: only while the lease is its own. The row stays locked until the transaction ends."""
    fields = {"lease_until": now() + LEASE, **fields}
    held = Document.objects.filter(id=current.document_id, lease_token=current.token)
    if not held.update(**fields):
        raise LeaseLost
    lease_written(current.token)


def lease_release(current: Try, error: DomainError) -> None:
    """Back to the queue when a retry may help, else to the end with the reason."""
    fields = {**RELEASED, "reason_code": error.code, "reason": error.message[:500]}
    try:
        with transaction.atomic():
            if not error.retryable:
                lease_renew(current, **fields, **UNKNOWN_AT_SOURCE, state=DocumentState.FAILED, found={})
                Chunk.objects.filter(document_id=current.document_id, generation=current.attempt).delete()
                tell_failed(current.document_id, error)
                return
            failures = Document.objects.values_list("failures", flat=True).get(id=current.document_id) + 1
            gave_up = failures >= FAILURE_LIMIT
            state = DocumentState.FAILED if gave_up else DocumentState.QUEUED
            forgotten = UNKNOWN_AT_SOURCE if gave_up else {}
            again = {"state": state, "failures": failures, "queued_at": now()}
            lease_renew(current, **{**fields, **again, **forgotten})
            if gave_up:
                tell_failed(current.document_id, error)
    except (LeaseLost, Document.DoesNotExist):
        _log.info("document %s: another try took over", current.document_id)


def _gave_up(failures: int) -> dict[str, Any]:
    error = DocumentGaveUp(failures=failures)
    reason = {"reason_code": error.code, "reason": error.message}
    return {"state": DocumentState.FAILED, **reason, **UNKNOWN_AT_SOURCE}


def _finish(document_id: UUID, **fields: Any) -> None:
    Document.objects.filter(id=document_id).update(**{**RELEASED, **fields})
