"""What can be done with documents. Other applications enter here and by the selectors."""

from __future__ import annotations

from retrieval.services.access import (
    corpora_grant,
    corpora_revoke,
    corpus_grant,
    corpus_revoke,
    document_grant,
    document_restrict,
    document_revoke,
    documents_grant,
    documents_restrict,
    documents_revoke,
)
from retrieval.services.bulk import (
    MOST_DELETED,
    AccessAction,
    AccessChange,
    AccessEffect,
    Retried,
    access_change,
    access_effect,
    documents_delete,
    documents_retry,
    documents_tag,
)
from retrieval.services.comparing import nearness
from retrieval.services.corpora import corpus_create, corpus_delete, corpus_update, space_ensure
from retrieval.services.documents import (
    Receipt,
    UploadOutcome,
    document_delete,
    document_describe,
    document_receive,
    document_retry,
    document_upload,
)
from retrieval.services.equipping import Equipment, equipment, equipped
from retrieval.services.explaining import document_explain, search_explain
from retrieval.services.imports import (
    ImportProgress,
    site_import_progress,
    site_import_read,
    site_imports_due,
    sitemap_import,
    source_refresh,
    url_import,
)
from retrieval.services.indexing import (
    Progress,
    Slice,
    document_index,
    document_index_slice,
)
from retrieval.services.languages import document_language_set
from retrieval.services.leases import documents_due
from retrieval.services.marking import MarkedText, passages_marked
from retrieval.services.promotion import space_demote, space_place, space_promote, spaces_due
from retrieval.services.reembedding import (
    corpora_to_reembed,
    corpus_keep_model,
    corpus_model_choose,
    corpus_reembed,
    corpus_reembed_slice,
)
from retrieval.services.searching import QueryVectors, search
from retrieval.services.sitemaps import site_import_dismiss, site_import_retry

__all__ = [
    "MOST_DELETED",
    "AccessAction",
    "AccessChange",
    "AccessEffect",
    "Equipment",
    "ImportProgress",
    "MarkedText",
    "Progress",
    "QueryVectors",
    "Receipt",
    "Retried",
    "Slice",
    "UploadOutcome",
    "access_change",
    "access_effect",
    "corpora_grant",
    "corpora_revoke",
    "corpora_to_reembed",
    "corpus_create",
    "corpus_delete",
    "corpus_grant",
    "corpus_keep_model",
    "corpus_model_choose",
    "corpus_reembed",
    "corpus_reembed_slice",
    "corpus_revoke",
    "corpus_update",
    "document_delete",
    "document_describe",
    "document_explain",
    "document_grant",
    "document_index",
    "document_index_slice",
    "document_language_set",
    "document_receive",
    "document_restrict",
    "document_retry",
    "document_revoke",
    "document_upload",
    "documents_delete",
    "documents_due",
    "documents_grant",
    "documents_restrict",
    "documents_retry",
    "documents_revoke",
    "documents_tag",
    "equipment",
    "equipped",
    "nearness",
    "passages_marked",
    "search",
    "search_explain",
    "site_import_dismiss",
    "site_import_progress",
    "site_import_read",
    "site_import_retry",
    "site_imports_due",
    "sitemap_import",
    "source_refresh",
    "space_demote",
    "space_ensure",
    "space_place",
    "space_promote",
    "spaces_due",
    "url_import",
]
