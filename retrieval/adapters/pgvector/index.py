"""Stores passages with their vectors, and searches them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connection

from retrieval.adapters.pgvector import comparing, searching
from retrieval.adapters.pgvector.layout import SHARED_HOME
from retrieval.adapters.pgvector.texts import named, vector_literal
from retrieval.domain.passages import Chunk, Compared, SearchRequest, Vector, Viewer
from retrieval.domain.ports import IndexAnswer, Moved, PublishedChunk, StagedChunk


class PgvectorIndex:
    """A PassageIndex. Every statement names the tenant, and row-level security holds behind it."""

    def __init__(self) -> None:
        self._layouts = searching.Layouts()

    def stage(
        self,
        *,
        tenant_id: UUID,
        document_id: UUID,
        generation: int,
        language: str,
        chunks: Sequence[StagedChunk],
    ) -> None:
        rows = json.dumps([_chunk_row(item) for item in chunks])
        values = {**_generation(tenant_id, document_id, generation), "language": language, "chunks": rows}
        with connection.cursor() as cursor:
            cursor.execute(named("stage_chunks"), values)

    def staged(
        self, *, tenant_id: UUID, document_id: UUID, generation: int, first: int, limit: int
    ) -> list[StagedChunk]:
        values = {**_generation(tenant_id, document_id, generation), "first": first, "limit": limit}
        with connection.cursor() as cursor:
            cursor.execute(named("staged_chunks"), values)
            return [_staged(row) for row in cursor.fetchall()]

    def attach(
        self,
        *,
        tenant_id: UUID,
        document_id: UUID,
        generation: int,
        space_id: UUID,
        vectors: Mapping[UUID, Vector],
    ) -> None:
        values = {
            **_generation(tenant_id, document_id, generation),
            "space_id": space_id,
            "shared": SHARED_HOME,
            "ids": list(vectors),
            "vectors": [vector_literal(vector) for vector in vectors.values()],
        }
        with connection.cursor() as cursor:
            cursor.execute(named("attach_vectors"), values)

    def attached(self, *, tenant_id: UUID, document_id: UUID, generation: int, space_id: UUID) -> int:
        values = {**_generation(tenant_id, document_id, generation), "space_id": space_id}
        with connection.cursor() as cursor:
            cursor.execute(named("attached_vectors"), values)
            return int(cursor.fetchone()[0])

    def reword(self, *, tenant_id: UUID, document_id: UUID, language: str) -> None:
        values: dict[str, Any] = {
            "tenant_id": tenant_id,
            "document_id": document_id,
            "language": language,
        }
        with connection.cursor() as cursor:
            cursor.execute(named("reword_document"), values)

    def missing(
        self, *, tenant_id: UUID, corpus_id: UUID, space_id: UUID, after: UUID | None, limit: int
    ) -> list[PublishedChunk]:
        values: dict[str, Any] = {"tenant_id": tenant_id, "corpus_id": corpus_id, "space_id": space_id}
        with connection.cursor() as cursor:
            cursor.execute(
                named("vectors_missing"), {**values, "after": after or SHARED_HOME, "limit": limit}
            )
            return [PublishedChunk(row[2], row[0], _staged(row[2:]).chunk) for row in cursor.fetchall()]

    def add(self, *, tenant_id: UUID, space_id: UUID, vectors: Mapping[UUID, Vector]) -> None:
        values: dict[str, Any] = {
            "tenant_id": tenant_id,
            "space_id": space_id,
            "shared": SHARED_HOME,
            "ids": list(vectors),
            "vectors": [vector_literal(vector) for vector in vectors.values()],
        }
        with connection.cursor() as cursor:
            cursor.execute(named("vectors_add"), values)

    def forget(
        self, *, tenant_id: UUID, corpus_id: UUID, kept: Sequence[UUID], after: UUID | None, limit: int
    ) -> Moved:
        values: dict[str, Any] = {"tenant_id": tenant_id, "corpus_id": corpus_id, "kept": list(kept)}
        with connection.cursor() as cursor:
            cursor.execute(named("vectors_forget"), {**values, "after": after or SHARED_HOME, "limit": limit})
            last, vectors = cursor.fetchone()
        return Moved(last, int(vectors))

    def search(
        self,
        *,
        tenant_id: UUID,
        space_id: UUID,
        request: SearchRequest,
        vectors: Mapping[UUID, Sequence[Vector | None]],
    ) -> IndexAnswer:
        return searching.search(
            self._layouts, tenant_id=tenant_id, space_id=space_id, request=request, vectors=vectors
        )

    def nearness(
        self,
        *,
        tenant_id: UUID,
        space_id: UUID,
        principal: Viewer,
        vector: Vector,
        chunk_ids: Collection[UUID],
    ) -> Mapping[UUID, Compared]:
        return comparing.nearness(
            self._layouts,
            tenant_id=tenant_id,
            space_id=space_id,
            principal=principal,
            vector=vector,
            chunk_ids=chunk_ids,
        )


def _generation(tenant_id: UUID, document_id: UUID, generation: int) -> dict[str, Any]:
    return {"tenant_id": tenant_id, "document_id": document_id, "generation": generation}


def _staged(row: Sequence[Any]) -> StagedChunk:
    id, ordinal, text, start, end, heading_path, page, token_count = row
    return StagedChunk(id, Chunk(ordinal, text, start, end, tuple(heading_path), page, token_count))


def _chunk_row(item: StagedChunk) -> dict[str, Any]:
    chunk = item.chunk
    return {
        "id": str(item.id),
        "ordinal": chunk.ordinal,
        "text": chunk.text,
        "heading_path": list(chunk.heading_path),
        "page": chunk.page,
        "span_start": chunk.start,
        "span_end": chunk.end,
        "token_count": chunk.token_count,
    }
