"""What can be done with documents. Other applications enter here and by the selectors."""

from __future__ import annotations

from retrieval.services.access import (
    corpus_grant,
    corpus_revoke,
    document_grant,
    document_restrict,
    document_revoke,
)
from retrieval.services.corpora import corpus_create, corpus_delete, space_ensure
from retrieval.services.documents import (
    Receipt,
    UploadOutcome,
    document_delete,
    document_receive,
    document_retry,
    document_upload,
)
from retrieval.services.equipping import Equipment, equipment, equipped
from retrieval.services.indexing import (
    Progress,
    Slice,
    document_index,
    document_index_slice,
)
from retrieval.services.leases import documents_due
from retrieval.services.searching import search

__all__ = [
    "Equipment",
    "Progress",
    "Receipt",
    "Slice",
    "UploadOutcome",
    "corpus_create",
    "corpus_delete",
    "corpus_grant",
    "corpus_revoke",
    "document_delete",
    "document_grant",
    "document_index",
    "document_index_slice",
    "document_receive",
    "document_restrict",
    "document_retry",
    "document_revoke",
    "document_upload",
    "documents_due",
    "equipment",
    "equipped",
    "search",
    "space_ensure",
]
