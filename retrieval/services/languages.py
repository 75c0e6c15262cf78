"""The language that a document's words are indexed and searched in."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from kernel.errors import Invalid, NotFound
from retrieval.models import Document
from retrieval.services.corpora import is_language
from retrieval.services.equipping import equipment
from tenants.scoping import current_tenant_id


@transaction.atomic
def document_language_set(*, document_id: UUID, language: str) -> None:
    """Index a document's words in a text search configuration of PostgreSQL; empty for that of its corpus.

    Searches see the change at once. Raises NotFound, and Invalid for a language that PostgreSQL does not know.
    """
    document = Document.objects.select_for_update().select_related("corpus").filter(id=document_id).first()
    if document is None:
        raise NotFound(what="document")
    if language and not is_language(language):
        raise Invalid(reason=f"PostgreSQL has no text search configuration called {language}.")
    document.language = language
    document.save(update_fields=["language", "updated_at"])
    equipment().index.reword(
        tenant_id=current_tenant_id(), document_id=document_id, language=language or document.corpus.language
    )
