"""Uploading, replacing, retrying and deleting documents."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from kernel.clock import now
from kernel.errors import Invalid, NotFound
from retrieval.domain.errors import DocumentEmpty, DocumentError, DocumentFileMissing, DocumentTooLarge
from retrieval.models import Corpus, Document, DocumentState
from retrieval.services.equipping import equipment

_FRESH: dict[str, Any] = {
    "state": DocumentState.QUEUED,
    "progress": 0.0,
    "reason_code": "",
    "reason": "",
    "failures": 0,
    "lease_token": None,
    "lease_until": None,
}
"""A document that waits to be indexed. Without its lease, a try that still runs is refused at its next write."""


@dataclass(frozen=True, slots=True)
class _Upload:
    """What came in: checked, hashed, and stored unless refused."""

    filename: str
    content_hash: str
    size: int
    blob_key: str
    refusal: DocumentError | None


def document_upload(
    *,
    corpus_id: UUID,
    filename: str,
    data: bytes,
    title: str | None = None,
    tags: Sequence[str] = (),
    restricted: bool = False,
    uploaded_by: int | None = None,
) -> Document:
    """Store a file and queue it. The door queues `document_index_task` when `is_unfinished` is true.

    The same bytes under the same name change nothing. Other bytes replace the document once they are indexed;
    until then, and if that fails, the version before stays searchable. A file that is refused at sight (empty,
    too large) is recorded as failed with its reason. `uploaded_by` is a user's id. Raises NotFound for the
    corpus, Invalid for a name that is none.
    """
    if not Corpus.objects.filter(id=corpus_id).exists():
        raise NotFound(what="corpus")
    filename = _clean_filename(filename)
    content_hash = hashlib.sha256(data).hexdigest()
    known = Document.objects.filter(corpus_id=corpus_id, filename=filename).first()
    if known is not None and known.content_hash == content_hash:
        return known
    upload = _store(filename, content_hash, data)
    facts = {
        "tags": list(dict.fromkeys(tags)),
        "restricted": restricted,
        "uploaded_by_id": uploaded_by,
        "title": (title or "").strip()[:300] or PurePath(filename).stem,
        "title_is_given": bool((title or "").strip()),
    }
    return _record(corpus_id, upload, facts)


def document_retry(*, document_id: UUID) -> Document:
    """Queue a document that failed once more. Raises NotFound, or DocumentFileMissing where no file is kept."""
    with transaction.atomic():
        document = _locked(document_id)
        if document.state != DocumentState.FAILED:
            return document
        if not document.blob_key:
            raise DocumentFileMissing
        _set(document, queued_at=now(), **_FRESH)
        return document


def document_delete(*, document_id: UUID) -> None:
    """Remove a document with its passages and vectors at once, and its file after that. Raises NotFound."""
    with transaction.atomic():
        document = _locked(document_id)
        _forget_blob_on_commit(document.blob_key)
        document.delete()


def _clean_filename(filename: str) -> str:
    name = PurePath(filename.replace("\\", "/")).name.replace("\x00", "").strip()
    if not name:
        raise Invalid(reason="The file needs a name.")
    stem, suffix = PurePath(name).stem, PurePath(name).suffix[:20]
    return stem[: 255 - len(suffix)] + suffix


def _store(filename: str, content_hash: str, data: bytes) -> _Upload:
    refusal = _refusal(data)
    key = "" if refusal else str(uuid4())
    if key:
        equipment().blobs.put(key, data)
    return _Upload(filename, content_hash, len(data), key, refusal)


def _refusal(data: bytes) -> DocumentError | None:
    limit = equipment().max_upload_bytes
    if not data:
        return DocumentEmpty()
    if len(data) > limit:
        return DocumentTooLarge(size_mb=f"{len(data) / 1048576:.1f}", limit_mb=limit // 1048576)
    return None


def _record(corpus_id: UUID, upload: _Upload, facts: dict[str, Any]) -> Document:
    moment = now()
    fields = {
        **_FRESH,
        **facts,
        "content_hash": upload.content_hash,
        "size": upload.size,
        "blob_key": upload.blob_key,
        "queued_at": moment,
        "uploaded_at": moment,
    }
    if upload.refusal is not None:
        fields |= failure(upload.refusal)
    with transaction.atomic():
        document, created = Document.objects.select_for_update().get_or_create(
            corpus_id=corpus_id, filename=upload.filename, defaults=fields
        )
        if created:
            return document
        if document.content_hash == upload.content_hash:
            _forget_blob_on_commit(upload.blob_key)
            return document
        _forget_blob_on_commit(document.blob_key)
        _set(document, **fields)
        return document


def failure(error: DocumentError) -> dict[str, Any]:
    """The fields of a document that could not be read."""
    return {"state": DocumentState.FAILED, "reason_code": error.code, "reason": error.message[:500]}


def _locked(document_id: UUID) -> Document:
    document = Document.objects.select_for_update().filter(id=document_id).first()
    if document is None:
        raise NotFound(what="document")
    return document


def _set(document: Document, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(document, name, value)
    document.save(update_fields=[*fields, "updated_at"])


def _forget_blob_on_commit(key: str) -> None:
    if key:
        transaction.on_commit(lambda: equipment().blobs.delete(key), robust=True)
