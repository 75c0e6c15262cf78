"""Search: embed the queries in every space in use, then one round trip to the database."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from kernel.clock import monotonic_ms
from kernel.traced import span
from retrieval.domain.errors import EmbeddingModelGone
from retrieval.domain.passages import SearchRequest, SearchResult, Vector, WeightedQuery
from retrieval.domain.ports import EmbeddingPort, IndexAnswer
from retrieval.services.corpora import space_id
from retrieval.services.equipping import equipment
from retrieval.services.spaces import embedder_of
from tenants.scoping import current_tenant_id

_log = logging.getLogger(__name__)

_ROUNDS = 4
"""A search is repeated while corpora change to spaces that it did not know of."""


class QueryVectors:
    """The vectors of queries by space, made once for all the searches that are given the same one of these."""

    def __init__(self) -> None:
        self._made: dict[tuple[UUID, tuple[WeightedQuery, ...]], list[Vector | None]] = {}

    def of(self, queries: tuple[WeightedQuery, ...], space: UUID) -> list[Vector | None]:
        """One for each query, None where none is wanted or the model is gone. Raises what the embedding port raises."""
        key = (space, queries)
        if key not in self._made:
            self._made[key] = _vectors(queries, space)
        return self._made[key]


def search(*, request: SearchRequest, made: QueryVectors | None = None) -> SearchResult:
    """The passages of the current tenant that answer best, inside what the principal may see now.

    While corpora change their embedding model, each is searched in the space that it is in at that moment. One
    whose model cannot be run any more is searched by words alone. An empty result is an answer, not an error.
    Searches for the same queries share `made`, so that they are embedded once. Raises what the embedding port raises.
    """
    queries = tuple(query for query in request.queries if query.text.strip())
    if not queries or request.limit < 1:
        return SearchResult(())
    current = space_id(equipment().embeddings.space)
    request = _with_queries(request, queries)
    made = made or QueryVectors()
    vectors: dict[UUID, list[Vector | None]] = {}
    spent = {"embed": 0.0, "sql": 0.0}
    wanted: Iterable[UUID] = (current,)
    for _ in range(_ROUNDS):
        started = monotonic_ms()
        vectors |= {space: made.of(queries, space) for space in wanted}
        embedded = monotonic_ms()
        answer = _ask(request, current, vectors)
        spent["embed"] += embedded - started
        spent["sql"] += monotonic_ms() - embedded
        wanted = answer.spaces - vectors.keys()
        if not wanted:
            break
    return SearchResult(answer.hits, spent)


def _ask(request: SearchRequest, current: UUID, vectors: dict[UUID, list[Vector | None]]) -> IndexAnswer:
    return equipment().index.search(
        tenant_id=current_tenant_id(), space_id=current, request=request, vectors=vectors
    )


def _with_queries(request: SearchRequest, queries: tuple[WeightedQuery, ...]) -> SearchRequest:
    return request if queries == request.queries else replace(request, queries=queries)


def _vectors(queries: Sequence[WeightedQuery], space: UUID) -> list[Vector | None]:
    texts = [query.text for query in queries if query.dense_weight > 0]
    model = _model(space) if texts else None
    if model is None:
        return [None] * len(queries)
    with span("embed"):
        vectors = iter(model.embed_queries(texts))
    return [next(vectors) if query.dense_weight > 0 else None for query in queries]


def _model(space: UUID) -> EmbeddingPort | None:
    try:
        return embedder_of(space)
    except EmbeddingModelGone as error:
        _log.warning("searched by words alone: %s", error.message)
        return None
