"""What the owner of documents may ask for: a copy of them, and that they are gone for good."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db import transaction

from kernel.json import JsonObject
from retrieval.domain.errors import DocumentFileMissing
from retrieval.models import (
    Chunk,
    ChunkEmbedding,
    Corpus,
    CorpusGroupPermission,
    CorpusUserPermission,
    Document,
    DocumentGroupPermission,
    DocumentUserPermission,
    EmbeddingSpace,
    SiteImport,
)
from retrieval.services.documents import reading_key
from retrieval.services.equipping import equipment
from tenants.services.erasing import Eraser, Record, eraser_register
from tenants.services.export_sections import (
    ArchivedFile,
    Files,
    Section,
    files_register,
    in_batches,
    section_register,
    table,
)

ERASED_AT_ONCE = 100
_DOCUMENT = (
    "corpus_id title filename content_type content_hash size source_url tags restricted language state reason pages"
    " chunk_count uploaded_at indexed_at"
).split()
_SITE = "corpus_id url page_limit state pages_listed pages_taken created_at".split()
_GRANTS: tuple[tuple[Any, str], ...] = (
    (CorpusUserPermission, "user__email"),
    (CorpusGroupPermission, "group__name"),
    (DocumentUserPermission, "user__email"),
    (DocumentGroupPermission, "group__name"),
)


def register() -> None:
    """Called once, when Django is ready."""
    corpora, documents, sites = Corpus.objects, Document.objects, SiteImport.objects
    fields = ["name", "slug", "description", "language", "created_at"]
    section_register(table("corpora", "Collections of documents.", lambda who: corpora.all(), fields))
    section_register(
        table("documents", "Documents; the files are in files/.", lambda who: documents.all(), _DOCUMENT)
    )
    section_register(table("site_imports", "Sitemaps that were imported.", lambda who: sites.all(), _SITE))
    section_register(Section("grants", "Who may see what.", _grants, _grants_count))
    files_register("documents", Files(_files, lambda: Document.objects.exclude(blob_key="").count()))
    eraser_register(Eraser("retrieval", lambda end_user_id, record: None, _erase_all))


def _grants(who: object) -> Iterator[JsonObject]:
    for model, holder in _GRANTS:
        for row in in_batches(model.objects.all(), "permission__codename", "content_object_id", holder):
            on = str(row["content_object_id"])
            yield {"id": row["id"], "may": row["permission__codename"], "on": on, "holder": row[holder]}


def _grants_count(who: object) -> int:
    return sum(model.objects.count() for model, _ in _GRANTS)


def _files() -> Iterator[ArchivedFile]:
    """One at a time; a file that was replaced while the archive is being written is in the next one."""
    for row in in_batches(Document.objects.exclude(blob_key=""), "filename", "blob_key"):
        try:
            data = equipment().blobs.get(row["blob_key"])
        except DocumentFileMissing:
            continue
        yield ArchivedFile(f"{row['id']}/{row['filename']}", data)


def _erase_all(record: Record) -> None:
    while _erase_some(record):
        pass
    with transaction.atomic():
        record({"SiteImport": SiteImport.objects.all().delete()[0]})
        record({"Corpus": Corpus.objects.count()})
        Corpus.objects.all().delete()
    for space_id in list(EmbeddingSpace.objects.values_list("id", flat=True)):
        _erase_space(space_id, record)


def _erase_some(record: Record) -> bool:
    """Files before rows: a row without its file is found again by the next try, a file without its row never."""
    rows = Document.objects.order_by("id").values_list("id", "blob_key")[:ERASED_AT_ONCE]
    some = dict(rows)
    files = [key for key in some.values() if key]
    for key in files:
        equipment().blobs.delete(key)
        equipment().blobs.delete(reading_key(key))
    with transaction.atomic():
        mine = {"document_id__in": list(some)}
        vectors, passages = (
            ChunkEmbedding.objects.filter(**mine).count(),
            Chunk.objects.filter(**mine).count(),
        )
        documents = Document.objects.filter(id__in=list(some)).count()
        Document.objects.filter(id__in=list(some)).delete()
        record({"Document": documents, "Chunk": passages, "ChunkEmbedding": vectors, "files": len(files)})
    return bool(some)


def _erase_space(space_id: UUID, record: Record) -> None:
    """With a partition of its own, if it has one: the table goes too."""
    equipment().homes.close(space_id=space_id)
    with transaction.atomic():
        record({"EmbeddingSpace": EmbeddingSpace.objects.filter(id=space_id).delete()[0]})
