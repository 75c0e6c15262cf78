"""The passage index in PostgreSQL: pgvector for meaning, full-text search for words."""

from __future__ import annotations

from retrieval.adapters.pgvector.index import PgvectorIndex
from retrieval.adapters.pgvector.placing import PgvectorHomes

__all__ = ["PgvectorHomes", "PgvectorIndex"]
