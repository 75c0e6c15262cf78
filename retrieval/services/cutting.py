"""From a stored file to passages that no search sees yet: convert, cut, stage.

A long document is cut in slices, as it is embedded in slices. What was read waits in a file beside the upload, and
`found` says how far the cutting is: whoever goes on begins at the next stretch, and no passage is made twice.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from django.db import transaction

from retrieval.domain.chunking import CHARACTERS_PER_TOKEN, BatchTokenCounter, cut_stretch, whole_document
from retrieval.domain.errors import DocumentFileMissing
from retrieval.domain.keeping import dump_document, load_document
from retrieval.domain.lanes import LARGE_BYTES
from retrieval.domain.passages import Chunk, ConvertedDocument
from retrieval.domain.ports import StagedChunk
from retrieval.domain.stretches import STRETCH_CHARACTERS, stretches_of
from retrieval.models import Chunking, DocumentState
from retrieval.services.documents import reading_key
from retrieval.services.equipping import Equipment
from retrieval.services.leases import CUT, Try, lease_renew

Found = Mapping[str, Any]
CONVERTED = 0.1
"""The share of the progress bar that reading and cutting take."""
_STAGED_AT_ONCE = 500
_BEAT_SECONDS = 5.0
_COUNTED_AT_ONCE = 2000
_WHOLE_LIMIT = 2000


def document_cut(current: Try, tools: Equipment, until: float) -> Found | None:
    """What was found by the end of the document or of the time, with `CUT` in it while there is more to cut.

    None when another large document is being read on this machine. Raises a DocumentError, or LeaseLost.
    """
    if current.found and CUT not in current.found:
        return current.found
    data = b"" if current.found else tools.blobs.get(current.blob_key)
    if math.isinf(until) or not (current.found or len(data) >= LARGE_BYTES):
        return _cut(current, data, tools, until)
    with tools.lane.entered() as is_free:
        return _cut(current, data, tools, until) if is_free else None


def _cut(current: Try, data: bytes, tools: Equipment, until: float) -> Found:
    document = _read_before(current, tools) if current.found else _read(current, data, tools)
    if current.chunking == Chunking.WHOLE and not current.found:
        whole = _whole(current, document, tools)
        if whole is not None:
            return _stage(current, _beginning(current, document), whole, tools)
    found = _cut_on(current, document, current.found or _beginning(current, document), tools, until)
    if CUT in found and not current.found:
        tools.blobs.put(reading_key(current.blob_key), dump_document(document))
    elif CUT not in found and current.found:
        tools.blobs.delete(reading_key(current.blob_key))
    return found


def _read(current: Try, data: bytes, tools: Equipment) -> ConvertedDocument:
    return tools.converter.convert(data, filename=current.filename, heartbeat=lambda: lease_renew(current))


def _read_before(current: Try, tools: Equipment) -> ConvertedDocument:
    """What an earlier slice has read. The same file gives the same text, should that be lost."""
    try:
        return load_document(tools.blobs.get(reading_key(current.blob_key)))
    except (DocumentFileMissing, ValueError, KeyError):
        document = _read(current, tools.blobs.get(current.blob_key), tools)
        tools.blobs.put(reading_key(current.blob_key), dump_document(document))
        return document


def _beginning(current: Try, document: ConvertedDocument) -> Found:
    return {
        "space": str(current.space_id),
        "passages": 0,
        "format": document.format,
        "pages": document.pages,
        "title": (document.title or "")[:300],
        "notes": list(document.notes),
        CUT: 0,
    }


def _whole(current: Try, document: ConvertedDocument, tools: Equipment) -> list[Chunk] | None:
    """None where the document is too long to be one passage."""
    if len(document.text) > _WHOLE_LIMIT * CHARACTERS_PER_TOKEN:
        return None
    whole = whole_document(document, tools.embeddings.count_tokens)
    return whole if whole[0].token_count <= _WHOLE_LIMIT else None


def _cut_on(current: Try, document: ConvertedDocument, found: Found, tools: Equipment, until: float) -> Found:
    """From the next stretch on, to the end or until the time is over; so many characters at least."""
    stretches = stretches_of(document)[found[CUT] :]
    count = _beating(current, tools.embeddings.count_tokens)
    least = stretches[0].blocks[0].start + STRETCH_CHARACTERS
    fresh: list[Chunk] = []
    for number, stretch in enumerate(stretches[:-1], start=found[CUT] + 1):
        fresh += cut_stretch(document.text, stretch, count, tools.chunks, first=_next(found, fresh))
        late = stretch.end >= least and time.monotonic() >= until
        if late or len(fresh) >= _STAGED_AT_ONCE:
            found = _stage(current, found, fresh, tools, (number, stretch.end / len(document.text)))
            fresh = []
        if late:
            return found
    fresh += cut_stretch(document.text, stretches[-1], count, tools.chunks, first=_next(found, fresh))
    return _stage(current, found, fresh, tools)


def _next(found: Found, fresh: Sequence[Chunk]) -> int:
    """The number of the next passage."""
    return int(found["passages"]) + len(fresh)


def _stage(
    current: Try,
    found: Found,
    fresh: Sequence[Chunk],
    tools: Equipment,
    reached: tuple[int, float] | None = None,
) -> Found:
    """Store passages and how far that is, in one transaction; `reached` is the next stretch and the share of the text."""
    passages = {"passages": _next(found, fresh)}
    if reached is None:
        rest = {name: value for name, value in found.items() if name != CUT}
        found, about = {**rest, **passages}, {"state": DocumentState.EMBEDDING, "progress": CONVERTED}
    else:
        found, about = {**found, **passages, CUT: reached[0]}, {"progress": CONVERTED * reached[1]}
    staged = [StagedChunk(uuid4(), chunk) for chunk in fresh]
    with transaction.atomic():
        lease_renew(current, found=found, **about)
        tools.index.stage(**current.generation, language=current.language, chunks=staged)
    return found


def _beating(current: Try, count: BatchTokenCounter) -> BatchTokenCounter:
    """A token counter that keeps the lease while a long text is cut."""
    last = time.monotonic()

    def counted(texts: Sequence[str]) -> list[int]:
        nonlocal last
        sizes: list[int] = []
        for start in range(0, len(texts), _COUNTED_AT_ONCE):
            sizes += count(texts[start : start + _COUNTED_AT_ONCE])
            if time.monotonic() - last > _BEAT_SECONDS:
                lease_renew(current)
                last = time.monotonic()
        return sizes

    return counted
