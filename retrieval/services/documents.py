"""Uploading, replacing, retrying and deleting documents."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import PurePath
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from kernel.clock import now
from kernel.errors import Invalid, NotFound
from retrieval.domain.errors import (
    DocumentEmpty,
    DocumentError,
    DocumentFileMissing,
    DocumentTooLarge,
    RetryUseless,
    retry_helps,
)
from retrieval.models import Corpus, Document, DocumentState
from retrieval.services.equipping import equipment
from retrieval.services.room import check_new, check_replacement
from tenants.errors import QuotaFull
from tenants.services.audit import audit_record

FRESH: dict[str, Any] = {
    "state": DocumentState.QUEUED,
    "progress": 0.0,
    "reason_code": "",
    "reason": "",
    "failures": 0,
    "lease_token": None,
    "lease_until": None,
    "found": {},
    "slices": 0,
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


class UploadOutcome(StrEnum):
    """What an uploaded file meant for its corpus."""

    NEW = "new"
    REPLACES = "replaces"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Receipt:
    """A stored upload. `replaced` is the title of the version before; `was_restricted` what held before it."""

    document: Document
    outcome: UploadOutcome
    replaced: str = ""
    was_restricted: bool = False

    @property
    def stays_restricted(self) -> bool:
        return self.was_restricted and self.document.restricted


class _ReplacedMeanwhile(Exception):
    """The same file was here a moment ago, and by now another version is."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the uploader says about a document; empty or None says nothing, and nothing is changed by it."""

    title: str
    tags: list[str] | None
    restricted: bool | None

    def explicit(self) -> dict[str, Any]:
        said: dict[str, Any] = {"title": self.title, "title_is_given": True} if self.title else {}
        if self.tags is not None:
            said["tags"] = self.tags
        if self.restricted is not None:
            said["restricted"] = self.restricted
        return said

    def for_new(self, filename: str) -> dict[str, Any]:
        return {"title": PurePath(filename).stem, **self.explicit()}

    def for_replacement(self, document: Document) -> dict[str, Any]:
        kept = document.title if document.title_is_given else PurePath(document.filename).stem
        return {"title": kept, **self.explicit()}


def document_upload(
    *,
    corpus_id: UUID,
    filename: str,
    data: bytes,
    title: str | None = None,
    tags: Sequence[str] | None = None,
    restricted: bool | None = None,
    uploaded_by: int | None = None,
) -> Document:
    """`document_receive` for those who need the document only."""
    return document_receive(
        corpus_id=corpus_id,
        filename=filename,
        data=data,
        title=title,
        tags=tags,
        restricted=restricted,
        uploaded_by=uploaded_by,
    ).document


def document_receive(
    *,
    corpus_id: UUID,
    filename: str,
    data: bytes,
    title: str | None = None,
    tags: Sequence[str] | None = None,
    restricted: bool | None = None,
    uploaded_by: int | None = None,
) -> Receipt:
    """Store a file and queue it. The door queues `document_index_task` when the document `is_unfinished`.

    The same bytes under the same name are not read again. Other bytes replace the document once they are indexed;
    until then, and if that fails, the version before stays searchable. A given title, tags and the restriction
    outlive a replacement: `title`, `tags` and `restricted` change them only when they are not None. A file that
    is refused at sight (empty, too large) is recorded as failed with its reason. `uploaded_by` is a user's id.
    Raises NotFound for the corpus, Invalid for a name that is none, `QuotaFull` where the tenant has no room for it,
    and DocumentUnsupported or DocumentBinary, with nothing recorded, for a file that no reader is for.
    """
    if not Corpus.objects.filter(id=corpus_id).exists():
        raise NotFound(what="corpus")
    filename = _clean_filename(filename)
    content_hash = hashlib.sha256(data).hexdigest()
    wishes = Wishes((title or "").strip()[:300], None if tags is None else tidy(tags), restricted)
    same = Document.objects.filter(corpus_id=corpus_id, filename=filename, content_hash=content_hash)
    if same.exists():
        upload = _Upload(filename, content_hash, len(data), "", None)
    else:
        upload = _store(filename, content_hash, data)
    try:
        return _record(corpus_id, upload, wishes, uploaded_by)
    except _ReplacedMeanwhile:
        return _record(corpus_id, _store(filename, content_hash, data), wishes, uploaded_by)


def document_retry(*, document_id: UUID) -> Document:
    """Queue a document that failed once more; a page is fetched anew.

    Raises NotFound, `RetryUseless` for a failure that cannot pass, and DocumentFileMissing where no file is kept.
    """
    with transaction.atomic():
        document = locked(document_id)
        if document.state != DocumentState.FAILED:
            return document
        if document.can_be_retried:
            set_fields(document, queued_at=now(), fetch_due=bool(document.source_url), **FRESH)
            return document
        if not retry_helps(document.reason_code, is_fetched=bool(document.source_url)):
            raise RetryUseless(reason=document.reason)
        raise DocumentFileMissing


def document_describe(
    *,
    document_id: UUID,
    title: str | None = None,
    tags: Sequence[str] | None = None,
    restricted: bool | None = None,
) -> Document:
    """Change what is said about a document; what is None stays. In force at the next query. Raises NotFound."""
    wishes = Wishes((title or "").strip()[:300], None if tags is None else tidy(tags), restricted)
    with transaction.atomic():
        document = locked(document_id)
        was_restricted, had = document.restricted, list(document.tags)
        set_fields(document, **wishes.explicit())
        record_restriction(document, was_restricted)
        record_tags([document.pk], set(document.tags) - set(had), set(had) - set(document.tags))
        return document


def document_delete(*, document_id: UUID) -> None:
    """Remove a document with its passages and vectors at once, and its file after that. Raises NotFound."""
    with transaction.atomic():
        document = locked(document_id)
        forget_blob_on_commit(document.blob_key)
        document.delete()
        audit_record(
            "document.deleted", target=str(document_id), title=document.title, corpus=str(document.corpus_id)
        )


def _clean_filename(filename: str) -> str:
    name = PurePath(filename.replace("\\", "/")).name.replace("\x00", "").strip()
    if not name:
        raise Invalid(reason="The file needs a name.")
    stem, suffix = PurePath(name).stem, PurePath(name).suffix[:20]
    return stem[: 255 - len(suffix)] + suffix


def _store(filename: str, content_hash: str, data: bytes) -> _Upload:
    refused = refusal(data)
    key = "" if refused else str(uuid4())
    if key:
        equipment().converter.check(data, filename=filename)
        equipment().blobs.put(key, data)
    return _Upload(filename, content_hash, len(data), key, refused)


def refusal(data: bytes) -> DocumentError | None:
    limit = equipment().max_upload_bytes
    if not data:
        return DocumentEmpty()
    if len(data) > limit:
        return DocumentTooLarge(size_mb=f"{len(data) / 1048576:.1f}", limit_mb=limit // 1048576)
    return None


def _record(corpus_id: UUID, upload: _Upload, wishes: Wishes, uploaded_by: int | None) -> Receipt:
    """Nothing is left behind of a file that the tenant has no room for."""
    try:
        return _write(corpus_id, upload, wishes, uploaded_by)
    except QuotaFull:
        if upload.blob_key:
            equipment().blobs.delete(upload.blob_key)
        raise


def _write(corpus_id: UUID, upload: _Upload, wishes: Wishes, uploaded_by: int | None) -> Receipt:
    """Under the lock of the row: what is kept is read from the same row that is written."""
    created = wishes.for_new(upload.filename) | _queued(upload, uploaded_by)
    with transaction.atomic():
        document, is_new = Document.objects.select_for_update().get_or_create(
            corpus_id=corpus_id, filename=upload.filename, defaults=created
        )
        if is_new:
            check_new(upload.size)
            record_restriction(document, was_restricted=False)
            return Receipt(document, UploadOutcome.NEW)
        was_restricted, title = document.restricted, document.title
        if document.content_hash == upload.content_hash:
            forget_blob_on_commit(upload.blob_key)
            set_fields(document, **wishes.explicit())
            record_restriction(document, was_restricted)
            return Receipt(document, UploadOutcome.UNCHANGED, was_restricted=was_restricted)
        if not upload.blob_key and upload.refusal is None:
            raise _ReplacedMeanwhile
        check_replacement(document.size, upload.size)
        forget_blob_on_commit(document.blob_key)
        set_fields(document, **wishes.for_replacement(document) | _queued(upload, uploaded_by))
        record_restriction(document, was_restricted)
        return Receipt(document, UploadOutcome.REPLACES, title, was_restricted)


def record_restriction(document: Document, was_restricted: bool) -> None:
    """In the audit log, when it differs. The log says of every document whether it needed a grant of its own, and when."""
    if document.restricted != was_restricted:
        audit_record("documents.restricted", documents=[str(document.id)], restricted=document.restricted)


def record_tags(document_ids: Sequence[UUID], added: Collection[str], removed: Collection[str]) -> None:
    """In the audit log, when there is anything to record."""
    if document_ids and (added or removed):
        ids = [str(id) for id in document_ids]
        audit_record("documents.tagged", documents=[*ids], added=sorted(added), removed=sorted(removed))


def _queued(upload: _Upload, uploaded_by: int | None) -> dict[str, Any]:
    """The fields that every upload writes, with the reason when the file was refused at sight."""
    moment = now()
    refused = {} if upload.refusal is None else failure(upload.refusal)
    return {
        **FRESH,
        "content_hash": upload.content_hash,
        "size": upload.size,
        "blob_key": upload.blob_key,
        "uploaded_by_id": uploaded_by,
        "queued_at": moment,
        "uploaded_at": moment,
        **refused,
    }


def tidy(tags: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(tags))


def failure(error: DocumentError) -> dict[str, Any]:
    """The fields of a document that could not be read."""
    return {"state": DocumentState.FAILED, "reason_code": error.code, "reason": error.message[:500]}


def locked(document_id: UUID) -> Document:
    document = Document.objects.select_for_update().filter(id=document_id).first()
    if document is None:
        raise NotFound(what="document")
    return document


def set_fields(document: Document, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(document, name, value)
    document.save(update_fields=[*fields, "updated_at"])


def reading_key(blob_key: str) -> str:
    """Where the text of a file waits while it is cut."""
    return f"{blob_key}-read"


def forget_blob_on_commit(key: str) -> None:
    if key:
        for one in (key, reading_key(key)):
            transaction.on_commit(partial(equipment().blobs.delete, one), robust=True)
