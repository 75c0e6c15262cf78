"""Tables of documents and their passages. Every one is a tenant table: walls and references are in migrations."""

from __future__ import annotations

from retrieval.models.corpora import Chunking, Corpus, EmbeddingSpace, Placement
from retrieval.models.documents import UNFINISHED, Document, DocumentState, SiteImport, SiteImportState
from retrieval.models.grants import (
    CorpusGroupPermission,
    CorpusUserPermission,
    DocumentGroupPermission,
    DocumentUserPermission,
    GroupGrant,
    UserGrant,
)
from retrieval.models.passages import Chunk, ChunkEmbedding

__all__ = [
    "UNFINISHED",
    "Chunk",
    "ChunkEmbedding",
    "Chunking",
    "Corpus",
    "CorpusGroupPermission",
    "CorpusUserPermission",
    "Document",
    "DocumentGroupPermission",
    "DocumentState",
    "DocumentUserPermission",
    "EmbeddingSpace",
    "GroupGrant",
    "Placement",
    "SiteImport",
    "SiteImportState",
    "UserGrant",
]
