"""From a stored file to searchable passages: convert, cut, embed, publish.

Safe when run twice, at once, or killed anywhere. A try takes a lease and a new number for the chunks it writes;
nobody sees them until one transaction publishes the number. Conversion and embedding happen outside of any
transaction.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Case, F, Q, Value, When
from django.db.models.expressions import Combinable

from kernel.clock import now
from kernel.errors import DomainError
from retrieval.domain.chunking import chunk_document, whole_document
from retrieval.domain.errors import DocumentGaveUp
from retrieval.domain.passages import Chunk, ConvertedDocument
from retrieval.domain.ports import EmbeddedChunk
from retrieval.models import UNFINISHED, Chunking, Corpus, Document, DocumentState, EmbeddingSpace
from retrieval.models import Chunk as ChunkRow
from retrieval.services.corpora import space_ensure
from retrieval.services.equipping import Equipment, equipment
from tenants.scoping import current_tenant_id

_log = logging.getLogger(__name__)

LEASE = timedelta(seconds=40)
"""Longer than any silence of a healthy try: a beat of the converter, or one batch of embeddings with retries."""
QUEUED_TOO_LONG = timedelta(seconds=60)
FAILURE_LIMIT = 10
_CONVERTED = 0.1
_WHOLE_LIMIT = 2000


class _LeaseLost(Exception):
    """Somebody else indexes this document now, or it was replaced or deleted."""


@dataclass(frozen=True, slots=True)
class _Try:
    """One try to index one document."""

    document_id: UUID
    filename: str
    blob_key: str
    attempt: int
    token: UUID
    language: str
    chunking: str
    space_id: UUID


def document_index(*, document_id: UUID) -> bool:
    """Index a document that waits for it. False when there is nothing to do, or another worker does it.

    A file that cannot be read ends as failed with its reason. Raises only what is worth a retry, after putting
    the document back in the queue.
    """
    current = _claim(document_id)
    if current is None:
        return False
    try:
        _work(current, equipment())
    except _LeaseLost:
        _log.info("document %s: another try took over", document_id)
        return False
    except DomainError as error:
        _release(current, error)
        if error.retryable:
            raise
    return True


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


def _claim(document_id: UUID) -> _Try | None:
    """Take the lease if nobody holds it, and clear away what an earlier try left unpublished."""
    token, moment = uuid4(), now()
    with transaction.atomic():
        free = Q(lease_until=None) | Q(lease_until__lt=moment)
        document = (
            Document.objects.select_for_update(skip_locked=True)
            .filter(free, id=document_id, state__in=UNFINISHED)
            .first()
        )
        if document is None:
            return None
        failures = document.failures + (document.lease_token is not None)
        if failures >= FAILURE_LIMIT:
            _finish(document_id, **_gave_up(failures))
            return None
        corpus = Corpus.objects.get(id=document.corpus_id)
        space = space_ensure()
        _settle_space(corpus, space)
        ChunkRow.objects.filter(document_id=document_id).exclude(generation=document.generation).delete()
        Document.objects.filter(id=document_id).update(
            state=DocumentState.CONVERTING,
            progress=0.0,
            failures=failures,
            attempt=F("attempt") + 1,
            lease_token=token,
            lease_until=moment + LEASE,
        )
    return _Try(
        document_id,
        document.filename,
        document.blob_key,
        document.attempt + 1,
        token,
        corpus.language,
        corpus.chunking,
        space.id,
    )


def _settle_space(corpus: Corpus, space: EmbeddingSpace) -> None:
    """A corpus with nothing in it yet moves to the space of today's model at once."""
    if corpus.space_id != space.id and not corpus.documents.filter(generation__gt=0).exists():
        Corpus.objects.filter(id=corpus.id).update(space=space)


def _work(current: _Try, tools: Equipment) -> None:
    data = tools.blobs.get(current.blob_key)
    converted = tools.converter.convert(data, filename=current.filename, heartbeat=lambda: _renew(current))
    del data
    chunks = _cut(current, converted, tools)
    _renew(current, state=DocumentState.EMBEDDING, progress=_CONVERTED)
    for start in range(0, len(chunks), tools.batch_size):
        _stage(current, chunks[start : start + tools.batch_size], len(chunks), tools)
    _publish(current, converted, len(chunks))


def _cut(current: _Try, converted: ConvertedDocument, tools: Equipment) -> list[Chunk]:
    count = tools.embeddings.count_tokens
    if current.chunking == Chunking.WHOLE:
        whole = whole_document(converted, count)
        if whole[0].token_count <= _WHOLE_LIMIT:
            return whole
    return chunk_document(converted, count, tools.chunks)


def _stage(current: _Try, chunks: Sequence[Chunk], total: int, tools: Equipment) -> None:
    vectors = tools.embeddings.embed_passages([chunk.embedding_text for chunk in chunks])
    embedded = [EmbeddedChunk(uuid4(), *pair) for pair in zip(chunks, vectors, strict=True)]
    done = (chunks[-1].ordinal + 1) / total
    with transaction.atomic():
        _renew(current, progress=_CONVERTED + (1 - _CONVERTED) * done)
        tools.index.stage(
            tenant_id=current_tenant_id(),
            document_id=current.document_id,
            generation=current.attempt,
            language=current.language,
            space_id=current.space_id,
            chunks=embedded,
        )


def _publish(current: _Try, converted: ConvertedDocument, count: int) -> None:
    """The swap: from here on searches see the new chunks and no old ones."""
    with transaction.atomic():
        _renew(
            current,
            state=DocumentState.INDEXED,
            progress=1.0,
            generation=current.attempt,
            chunk_count=count,
            content_type=converted.format,
            pages=converted.pages,
            title=_title(converted),
            indexed_at=now(),
            **_RELEASED,
        )
        ChunkRow.objects.filter(document_id=current.document_id).exclude(generation=current.attempt).delete()


def _title(converted: ConvertedDocument) -> Combinable:
    """The document's own title, unless the uploader gave one or it has none."""
    if not converted.title:
        return F("title")
    return Case(When(title_is_given=True, then=F("title")), default=Value(converted.title[:300]))


_RELEASED: dict[str, Any] = {
    "lease_token": None,
    "lease_until": None,
    "reason_code": "",
    "reason": "",
    "failures": 0,
}


def _renew(current: _Try, **fields: Any) -> None:
    """Every write of a try: only while the lease is its own. The row stays locked until the transaction ends."""
    fields = {"lease_until": now() + LEASE, **fields}
    held = Document.objects.filter(id=current.document_id, lease_token=current.token)
    if not held.update(**fields):
        raise _LeaseLost


def _release(current: _Try, error: DomainError) -> None:
    """Back to the queue when a retry may help, else to the end with the reason."""
    fields = {**_RELEASED, "reason_code": error.code, "reason": error.message[:500]}
    try:
        with transaction.atomic():
            if not error.retryable:
                _renew(current, **fields, state=DocumentState.FAILED)
                return
            failures = Document.objects.values_list("failures", flat=True).get(id=current.document_id) + 1
            gave_up = failures >= FAILURE_LIMIT
            state = DocumentState.FAILED if gave_up else DocumentState.QUEUED
            _renew(current, **{**fields, "state": state, "failures": failures, "queued_at": now()})
    except (_LeaseLost, Document.DoesNotExist):
        _log.info("document %s: another try took over", current.document_id)


def _gave_up(failures: int) -> dict[str, Any]:
    error = DocumentGaveUp(failures=failures)
    return {"state": DocumentState.FAILED, "reason_code": error.code, "reason": error.message}


def _finish(document_id: UUID, **fields: Any) -> None:
    Document.objects.filter(id=document_id).update(**{**_RELEASED, **fields})
