"""What a tenant's webhooks are told of its documents."""

from __future__ import annotations

from uuid import UUID

from kernel.errors import DomainError
from retrieval.models import Document
from tenants.services.webhooks import webhook_notify


def tell_indexed(document_id: UUID) -> None:
    """Call it where the document was just published, in the same transaction."""
    document = Document.objects.get(id=document_id)
    webhook_notify("document.indexed", {**_named(document), "passages": document.chunk_count})


def tell_failed(document_id: UUID, error: DomainError) -> None:
    """Call it where the document was just set to failed, in the same transaction."""
    document = Document.objects.get(id=document_id)
    reason = {"code": error.code, "message": error.message}
    webhook_notify("document.failed", {**_named(document), "reason": reason})


def _named(document: Document) -> dict[str, object]:
    return {
        "document": str(document.id),
        "corpus": str(document.corpus_id),
        "title": document.title,
        "filename": document.filename,
    }
