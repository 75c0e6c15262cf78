"""What a tenant's webhooks are told of its documents."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db import transaction

from kernel.errors import DomainError
from kernel.observed import Counted, count
from retrieval.models import Document, DocumentState
from tenants.services.webhooks import webhook_notify


def tell_indexed(document_id: UUID) -> None:
    """Call it where the document was just published, in the same transaction."""
    document = Document.objects.get(id=document_id)
    _count(DocumentState.INDEXED)
    webhook_notify("document.indexed", {**_named(document), "passages": document.chunk_count})


def tell_failed(document_id: UUID, error: DomainError) -> None:
    """Call it where the document was just set to failed, in the same transaction."""
    document = Document.objects.get(id=document_id)
    reason = {"code": error.code, "message": error.message}
    _count(DocumentState.FAILED)
    webhook_notify("document.failed", {**_named(document), "reason": reason})


def _count(state: DocumentState) -> None:
    transaction.on_commit(partial(count, Counted.DOCUMENTS, state=state.value))


def _named(document: Document) -> dict[str, object]:
    return {
        "document": str(document.id),
        "corpus": str(document.corpus_id),
        "title": document.title,
        "filename": document.filename,
    }
