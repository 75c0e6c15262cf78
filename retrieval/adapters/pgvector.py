"""The passage index in PostgreSQL: pgvector for meaning, full-text search for words, one query for both."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any
from uuid import UUID

from django.db import connection

from retrieval.domain.fusion import RRF_K
from retrieval.domain.passages import Chunk, SearchHit, SearchRequest, Vector
from retrieval.domain.ports import StagedChunk


class PgvectorIndex:
    """A PassageIndex. Every statement names the tenant, and row-level security holds behind it."""

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
            cursor.execute(_sql("stage_chunks"), values)

    def staged(
        self, *, tenant_id: UUID, document_id: UUID, generation: int, first: int, limit: int
    ) -> list[StagedChunk]:
        values = {**_generation(tenant_id, document_id, generation), "first": first, "limit": limit}
        with connection.cursor() as cursor:
            cursor.execute(_sql("staged_chunks"), values)
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
            "ids": list(vectors),
            "vectors": [_literal(vector) for vector in vectors.values()],
        }
        with connection.cursor() as cursor:
            cursor.execute(_sql("attach_vectors"), values)

    def attached(self, *, tenant_id: UUID, document_id: UUID, generation: int, space_id: UUID) -> int:
        values = {**_generation(tenant_id, document_id, generation), "space_id": space_id}
        with connection.cursor() as cursor:
            cursor.execute(_sql("attached_vectors"), values)
            return int(cursor.fetchone()[0])

    def search(
        self, *, tenant_id: UUID, space_id: UUID, request: SearchRequest, vectors: Sequence[Vector | None]
    ) -> tuple[SearchHit, ...]:
        with connection.cursor() as cursor:
            cursor.execute(_sql("search"), _search_parameters(tenant_id, space_id, request, vectors))
            return tuple(_hit(row) for row in cursor.fetchall())


@cache
def _sql(name: str) -> str:
    return resources.files("retrieval").joinpath("sql", f"{name}.sql").read_text("utf-8")


def _literal(vector: Vector) -> str:
    return f"[{','.join(format(value, '.6g') for value in vector)}]"


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


def _search_parameters(
    tenant_id: UUID, space_id: UUID, request: SearchRequest, vectors: Sequence[Vector | None]
) -> dict[str, Any]:
    queries, filters, principal = request.queries, request.filters, request.principal
    return {
        "tenant_id": tenant_id,
        "space_id": space_id,
        "user_id": principal.user_id,
        "group_ids": list(principal.group_ids),
        "sees_all": principal.sees_all,
        "corpus_ids": list(filters.corpus_ids),
        "document_ids": list(filters.document_ids),
        "tags": list(filters.tags),
        "uploaded_from": filters.uploaded_from,
        "uploaded_until": filters.uploaded_until,
        "texts": [query.text.replace("\x00", "") for query in queries],
        "dense_weights": [query.dense_weight for query in queries],
        "lexical_weights": [query.lexical_weight for query in queries],
        "vectors": [_literal(vector) if vector is not None else None for vector in vectors],
        "excluded": list(request.excluded_chunk_ids),
        "candidates": max(request.candidates, request.limit),
        "limit": request.limit,
        "rrf_k": RRF_K,
    }


def _hit(row: Sequence[Any]) -> SearchHit:
    return SearchHit(
        chunk_id=row[0],
        document_id=row[1],
        corpus_id=row[2],
        title=row[3],
        filename=row[4],
        heading_path=tuple(row[5]),
        page=row[6],
        ordinal=row[7],
        text=row[8],
        token_count=row[9],
        dense_rank=row[10],
        dense_score=row[11],
        lexical_rank=row[12],
        lexical_score=row[13],
        fused_score=float(row[14]),
    )
