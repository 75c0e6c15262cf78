"""From a stored file to searchable passages: fetch it if it is a page, convert, cut, embed, publish.

Safe when run twice, at once, or killed anywhere. A try takes a lease and a new number for the chunks it writes;
nobody sees them until one transaction publishes the number. Fetching, conversion and embedding happen outside of any
transaction. A long document is cut and embedded in slices: after each it gives up its place to whoever waits, and the
next slice goes on where it stopped.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Case, F, Value, When
from django.db.models.expressions import Combinable

from kernel.clock import now
from kernel.errors import DomainError
from retrieval.domain.lanes import PAUSE_SECONDS
from retrieval.models import Chunk, Document, DocumentState
from retrieval.services import leases
from retrieval.services.cutting import CONVERTED, document_cut
from retrieval.services.documents import reading_key
from retrieval.services.equipping import Equipment, equipment
from retrieval.services.fetching import document_fetch
from retrieval.services.lease_beats import lease_kept
from retrieval.services.leases import CUT, RELEASED, LeaseLost, Try, lease_release, lease_renew, lease_take
from retrieval.services.spaces import embedder_of, is_searched_in
from retrieval.services.telling import tell_indexed

_log = logging.getLogger(__name__)

SLICE_SECONDS = 10.0
"""What one document may take of a worker before others have their turn; a batch more at most."""


class Progress(StrEnum):
    """What a slice left behind: nothing to do, more to do, or a document in its last state."""

    NOTHING = "nothing"
    MORE = "more"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Slice:
    """How a slice ended. `number` counts the slices so far and goes with the message for the next.

    `pause` is how many seconds the next is to wait.
    """

    progress: Progress
    number: int = 0
    pause: float = 0.0


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
    current = lease_take(document_id, number)
    if current is None:
        return Slice(Progress.NOTHING)
    held = Document.objects.filter(id=document_id, lease_token=current.token)
    try:
        with lease_kept(held, current.token, leases.LEASE):
            return _work(current, equipment(), started + seconds)
    except LeaseLost:
        _log.info("document %s: another try took over", document_id)
        if not Document.objects.filter(blob_key=current.blob_key).exists():
            equipment().blobs.delete(reading_key(current.blob_key))
        return Slice(Progress.NOTHING)
    except DomainError as error:
        lease_release(current, error)
        if error.retryable:
            raise
        equipment().blobs.delete(reading_key(current.blob_key))
    return Slice(Progress.DONE)


def _work(current: Try, tools: Equipment, until: float) -> Slice:
    """A batch at least, so that every slice gets further."""
    if current.source is not None:
        fetched = document_fetch(current, current.source, tools)
        if fetched is None:
            return Slice(Progress.DONE)
        current = fetched
    found = document_cut(current, tools, until)
    if found is None:
        return _give_way(current, pause=PAUSE_SECONDS)
    if CUT in found:
        return _give_way(current)
    total = int(found["passages"])
    done = tools.index.attached(**current.generation, space_id=current.space_id)
    while done < total:
        done += _embed(current, done, total, tools)
        if done < total and time.monotonic() >= until:
            return _give_way(current)
    return Slice(Progress.DONE) if _publish(current, found) else _give_way(current)


def _embed(current: Try, done: int, total: int, tools: Equipment) -> int:
    """Make and store the vectors of the next batch; returns how many."""
    batch = tools.index.staged(**current.generation, first=done, limit=tools.batch_size)
    vectors = embedder_of(current.space_id).embed_passages([item.chunk.embedding_text for item in batch])
    made = {item.id: vector for item, vector in zip(batch, vectors, strict=True)}
    with transaction.atomic():
        lease_renew(current, progress=CONVERTED + (1 - CONVERTED) * (done + len(made)) / total)
        tools.index.attach(**current.generation, space_id=current.space_id, vectors=made)
    return len(made)


def _give_way(current: Try, pause: float = 0.0) -> Slice:
    """Put the lease back with everything kept: the next slice may be another worker's."""
    number = current.slices + 1
    lease_renew(current, slices=number, queued_at=now(), **RELEASED)
    return Slice(Progress.MORE, number, pause)


def _publish(current: Try, found: Mapping[str, Any]) -> bool:
    """The swap: from here on searches see the new chunks and no old ones.

    False when the corpus has changed to another space: the next slice makes the vectors for that one.
    """
    with transaction.atomic():
        lease_renew(current)
        if not is_searched_in(current.document_id, current.space_id):
            return False
        lease_renew(
            current,
            state=DocumentState.INDEXED,
            progress=1.0,
            generation=current.attempt,
            chunk_count=found["passages"],
            content_type=found["format"],
            pages=found["pages"],
            notes=found.get("notes", []),
            title=_title(found["title"]),
            found={},
            indexed_at=now(),
            **RELEASED,
        )
        Chunk.objects.filter(document_id=current.document_id).exclude(generation=current.attempt).delete()
        tell_indexed(current.document_id)
    return True


def _title(found: str) -> Combinable:
    """The document's own title, unless the uploader gave one or it has none."""
    if not found:
        return F("title")
    return Case(When(title_is_given=True, then=F("title")), default=Value(found))
