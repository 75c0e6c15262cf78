"""The retriever and the embedder of a turn, on retrieval's services."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from conversations.domain.answer import Passage
from conversations.domain.ports import Candidate, Near
from conversations.domain.search_plan import SearchPlan, without_seen
from conversations.domain.vectors import Vector, unit
from retrieval import selectors, services
from retrieval.domain.passages import SearchHit, SearchRequest, WeightedQuery
from tenants.access import Principal
from tenants.threads import in_thread

# So many more than wanted are fetched that enough remain when seen ones are dropped.
OVERFETCH = 3


class RetrievalSearch:
    """Searches with the grants that the principal holds now."""

    def __init__(self, principal: Principal) -> None:
        self._principal = principal

    async def search(self, plan: SearchPlan) -> tuple[Candidate, ...]:
        request = SearchRequest(
            queries=tuple(
                WeightedQuery(q.text, q.dense_weight, q.lexical_weight, q.every_word) for q in plan.queries
            ),
            principal=self._principal,
            limit=plan.limit * OVERFETCH,
            rare_words=plan.rare_words,
        )
        result = await in_thread(services.search, request=request)
        hits = {str(hit.chunk_id): hit for hit in result.hits}
        kept = without_seen(list(hits), plan.seen, plan.limit, plan.spent)
        return tuple(_candidate(hits[chunk_id]) for chunk_id in kept)

    async def closest(self, text: str, limit: int) -> tuple[Candidate, ...]:
        queries = (WeightedQuery(text, dense_weight=1.0, lexical_weight=0.0),)
        request = SearchRequest(queries, self._principal, limit=limit)
        result = await in_thread(services.search, request=request)
        return tuple(map(_candidate, result.hits))

    async def nearness(self, vector: Vector, chunk_ids: Collection[str]) -> Mapping[str, Near]:
        if not chunk_ids:
            return {}
        told = await in_thread(
            services.nearness,
            vector=tuple(vector.tolist()),
            chunk_ids=[UUID(chunk_id) for chunk_id in chunk_ids],
            principal=self._principal,
        )
        return {str(chunk_id): Near(near.cosine, near.text) for chunk_id, near in told.items()}

    async def permitted(self, chunk_ids: Collection[str]) -> frozenset[str]:
        if not chunk_ids:
            return frozenset()
        ids = [UUID(chunk_id) for chunk_id in chunk_ids]
        seen = await in_thread(selectors.passages_visible, ids, self._principal)
        return frozenset(map(str, seen))

    async def passages(self, chunk_ids: Sequence[str]) -> tuple[Passage, ...]:
        ids = [UUID(chunk_id) for chunk_id in chunk_ids]
        rows = await in_thread(selectors.passages_get, ids, self._principal)
        return tuple(
            Passage(
                chunk_id=str(row.chunk_id),
                document_id=str(row.document_id),
                title=row.title,
                heading_path=row.heading_path,
                page=row.page,
                text=row.text,
            )
            for row in rows
        )


class RetrievalEmbedder:
    """The vectors of the space that documents are searched in, so that affinities and search agree."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        model = services.equipment().embeddings
        rows = await asyncio.to_thread(model.embed_queries, list(texts))
        return [_vector(row) for row in rows]


def _vector(row: Sequence[float]) -> Vector:
    vector = unit(row)
    assert vector is not None, "an embedding has a direction"
    return vector


def _candidate(hit: SearchHit) -> Candidate:
    passage = Passage(
        chunk_id=str(hit.chunk_id),
        document_id=str(hit.document_id),
        title=hit.title,
        heading_path=hit.heading_path,
        page=hit.page,
        text=hit.text,
        score=hit.fused_score,
    )
    return Candidate(passage, hit.dense_rank, hit.lexical_rank, hit.dense_score, hit.lexical_score)
