"""From a stored file to searchable passages: convert, cut, embed, publish.

Safe when run twice, at once, or killed anywhere. A try takes a lease and a new number for the chunks it writes;
nobody sees them until one transaction publishes the number. Conversion and embedding happen outside of any
transaction. A long document is embedded in slices: after each it gives up its place to whoever waits, and the next
slice goes on where it stopped.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Case, F, Q, Value, When
from django.db.models.expressions import Combinable

from kernel.clock import now
from kernel.errors import DomainError
from retrieval.domain.chunking import BatchTokenCounter, chunk_document, whole_document
from retrieval.domain.errors import DocumentGaveUp
from retrieval.domain.passages import Chunk, ConvertedDocument
from retrieval.domain.ports import StagedChunk
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
SLICE_SECONDS = 10.0
"""What one document may take of a worker before others have their turn; a batch more at most."""
_CONVERTED = 0.1
_STAGED_AT_ONCE = 500
_BEAT_SECONDS = 5.0
_COUNTED_AT_ONCE = 2000
_WHOLE_LIMIT = 2000


class _LeaseLost(Exception):
    """Somebody else indexes this document now, or it was replaced or deleted."""


class Progress(StrEnum):
    """What a slice left behind: nothing to do, more to do, or a document in its last state."""

    NOTHING = "nothing"
    MORE = "more"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Slice:
    """How a slice ended. `number` counts the slices so far and goes with the message for the next."""

    progress: Progress
    number: int = 0


@dataclass(frozen=True, slots=True)
class _Try:
    """One try to index one document; `found` holds what an earlier slice of it read, if there was one."""

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

    @property
    def generation(self) -> dict[str, Any]:
        """The chunks of this try, as the index names them."""
        return {
            "tenant_id": current_tenant_id(),
            "document_id": self.document_id,
            "generation": self.attempt,
        }


def document_index(*, document_id: UUID) -> bool:
    """Index a document to the end. False when there is nothing to do, or another worker does it.

    A file that cannot be read ends as failed with its reason. Raises only what is worth a retry, after putting
    the document back in the queue.
    """
    return document_index_slice(document_id=document_id, seconds=math.inf).progress is Progress.DONE


def document_index_slice(
    *, document_id: UUID, seconds: float = SLICE_SECONDS, number: int | None = None
) -> Slice:
    """Index for about `seconds`. After `Progress.MORE` the caller queues the next slice behind the others.

    `number` is the one that came with the slice before: a message that was sent twice, or overtaken, does nothing
    then. Raises as `document_index`.
    """
    started = time.monotonic()
    current = _claim(document_id, number)
    if current is None:
        return Slice(Progress.NOTHING)
    try:
        return _work(current, equipment(), started + seconds)
    except _LeaseLost:
        _log.info("document %s: another try took over", document_id)
        return Slice(Progress.NOTHING)
    except DomainError as error:
        _release(current, error)
        if error.retryable:
            raise
    return Slice(Progress.DONE)


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


def _claim(document_id: UUID, number: int | None) -> _Try | None:
    """Take the lease if nobody holds it, and clear away what an earlier try left unpublished."""
    token, moment = uuid4(), now()
    with transaction.atomic():
        document = _waiting(document_id, number, moment)
        if document is None:
            return None
        failures = document.failures + (document.lease_token is not None)
        if failures >= FAILURE_LIMIT:
            _finish(document_id, **_gave_up(failures))
            return None
        corpus = Corpus.objects.get(id=document.corpus_id)
        space = space_ensure()
        _settle_space(corpus, space)
        goes_on = document.found.get("space") == str(space.id)
        attempt = document.attempt if goes_on else document.attempt + 1
        kept = [document.generation, attempt] if goes_on else [document.generation]
        ChunkRow.objects.filter(document_id=document_id).exclude(generation__in=kept).delete()
        fresh = {} if goes_on else {"progress": 0.0, "found": {}}
        Document.objects.filter(id=document_id).update(
            state=DocumentState.EMBEDDING if goes_on else DocumentState.CONVERTING,
            failures=failures,
            attempt=attempt,
            lease_token=token,
            lease_until=moment + LEASE,
            **fresh,
        )
    return _Try(
        document_id,
        document.filename,
        document.blob_key,
        attempt,
        token,
        corpus.language,
        corpus.chunking,
        space.id,
        document.slices,
        document.found if goes_on else {},
    )


def _waiting(document_id: UUID, number: int | None, moment: datetime) -> Document | None:
    """The document, locked, if it waits for a worker and the message is not an old one."""
    free = Q(lease_until=None) | Q(lease_until__lt=moment)
    waiting = Document.objects.filter(free, id=document_id, state__in=UNFINISHED)
    if number is not None:
        waiting = waiting.filter(slices=number)
    return waiting.select_for_update(skip_locked=True).first()


def _settle_space(corpus: Corpus, space: EmbeddingSpace) -> None:
    """A corpus with nothing in it yet moves to the space of today's model at once."""
    if corpus.space_id != space.id and not corpus.documents.filter(generation__gt=0).exists():
        Corpus.objects.filter(id=corpus.id).update(space=space)


def _work(current: _Try, tools: Equipment, until: float) -> Slice:
    """A batch at least, so that every slice gets further."""
    found = current.found or _read(current, tools)
    total = int(found["passages"])
    done = tools.index.attached(**current.generation, space_id=current.space_id)
    while done < total:
        done += _embed(current, done, total, tools)
        if done < total and time.monotonic() >= until:
            return _give_way(current)
    _publish(current, found)
    return Slice(Progress.DONE)


def _read(current: _Try, tools: Equipment) -> Mapping[str, Any]:
    """Convert, cut, and store the passages where no search sees them yet. Returns what is to be published."""
    data = tools.blobs.get(current.blob_key)
    converted = tools.converter.convert(data, filename=current.filename, heartbeat=lambda: _renew(current))
    del data
    chunks = _cut(current, converted, tools)
    for start in range(0, len(chunks), _STAGED_AT_ONCE):
        staged = [StagedChunk(uuid4(), chunk) for chunk in chunks[start : start + _STAGED_AT_ONCE]]
        with transaction.atomic():
            _renew(current)
            tools.index.stage(**current.generation, language=current.language, chunks=staged)
    found = {
        "space": str(current.space_id),
        "passages": len(chunks),
        "format": converted.format,
        "pages": converted.pages,
        "title": (converted.title or "")[:300],
    }
    _renew(current, state=DocumentState.EMBEDDING, progress=_CONVERTED, found=found)
    return found


def _cut(current: _Try, converted: ConvertedDocument, tools: Equipment) -> list[Chunk]:
    count = _beating(current, tools.embeddings.count_tokens)
    if current.chunking == Chunking.WHOLE:
        whole = whole_document(converted, count)
        if whole[0].token_count <= _WHOLE_LIMIT:
            return whole
    return chunk_document(converted, count, tools.chunks)


def _beating(current: _Try, count: BatchTokenCounter) -> BatchTokenCounter:
    """A token counter that keeps the lease while a long text is cut."""
    last = time.monotonic()

    def counted(texts: Sequence[str]) -> list[int]:
        nonlocal last
        sizes: list[int] = []
        for start in range(0, len(texts), _COUNTED_AT_ONCE):
            sizes += count(texts[start : start + _COUNTED_AT_ONCE])
            if time.monotonic() - last > _BEAT_SECONDS:
                _renew(current)
                last = time.monotonic()
        return sizes

    return counted


def _embed(current: _Try, done: int, total: int, tools: Equipment) -> int:
    """Make and store the vectors of the next batch; returns how many."""
    batch = tools.index.staged(**current.generation, first=done, limit=tools.batch_size)
    vectors = tools.embeddings.embed_passages([item.chunk.embedding_text for item in batch])
    made = {item.id: vector for item, vector in zip(batch, vectors, strict=True)}
    with transaction.atomic():
        _renew(current, progress=_CONVERTED + (1 - _CONVERTED) * (done + len(made)) / total)
        tools.index.attach(**current.generation, space_id=current.space_id, vectors=made)
    return len(made)


def _give_way(current: _Try) -> Slice:
    """Put the lease back with everything kept: the next slice may be another worker's."""
    number = current.slices + 1
    _renew(current, slices=number, queued_at=now(), **_RELEASED)
    return Slice(Progress.MORE, number)


def _publish(current: _Try, found: Mapping[str, Any]) -> None:
    """The swap: from here on searches see the new chunks and no old ones."""
    with transaction.atomic():
        _renew(
            current,
            state=DocumentState.INDEXED,
            progress=1.0,
            generation=current.attempt,
            chunk_count=found["passages"],
            content_type=found["format"],
            pages=found["pages"],
            title=_title(found["title"]),
            found={},
            indexed_at=now(),
            **_RELEASED,
        )
        ChunkRow.objects.filter(document_id=current.document_id).exclude(generation=current.attempt).delete()


def _title(found: str) -> Combinable:
    """The document's own title, unless the uploader gave one or it has none."""
    if not found:
        return F("title")
    return Case(When(title_is_given=True, then=F("title")), default=Value(found))


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
                _renew(current, **fields, state=DocumentState.FAILED, found={})
                ChunkRow.objects.filter(document_id=current.document_id, generation=current.attempt).delete()
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
