"""Search: embed the queries, then one round trip to the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kernel.clock import monotonic_ms
from retrieval.domain.passages import SearchRequest, SearchResult, Vector, WeightedQuery
from retrieval.services.corpora import space_id
from retrieval.services.equipping import equipment
from tenants.scoping import current_tenant_id


def search(*, request: SearchRequest) -> SearchResult:
    """The passages of the current tenant that answer best, inside what the principal may see now.

    An empty result is an answer, not an error. Raises what the embedding port raises.
    """
    tools = equipment()
    queries = tuple(query for query in request.queries if query.text.strip())
    if not queries or request.limit < 1:
        return SearchResult(())
    started = monotonic_ms()
    vectors = _vectors(queries)
    embedded = monotonic_ms()
    hits = tools.index.search(
        tenant_id=current_tenant_id(),
        space_id=space_id(tools.embeddings.space),
        request=_with_queries(request, queries),
        vectors=vectors,
    )
    return SearchResult(hits, {"embed": embedded - started, "sql": monotonic_ms() - embedded})


def _with_queries(request: SearchRequest, queries: tuple[WeightedQuery, ...]) -> SearchRequest:
    return request if queries == request.queries else replace(request, queries=queries)


def _vectors(queries: Sequence[WeightedQuery]) -> list[Vector | None]:
    texts = [query.text for query in queries if query.dense_weight > 0]
    vectors = iter(equipment().embeddings.embed_queries(texts) if texts else [])
    return [next(vectors) if query.dense_weight > 0 else None for query in queries]
