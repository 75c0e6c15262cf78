"""The retrieval benchmark: loads synthetic tenants, searches them, removes them again.

Floors are measured in the same run, question by question beside the service, because machines are noisy:
`floor_*` is the service's own statement sent by the bare driver, and `dense_floor_*` the shortest query that ranks
the same vectors exactly, without permissions, words or fusion.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any
from uuid import UUID

from django.db import connection

from config.measuring import p95
from config.progress import Report
from config.synthetic import SHARES, Loaded, Loader, sizes
from conversations.evaluation.library import tenant_remove
from retrieval.adapters.pgvector import bare
from retrieval.adapters.pgvector.layout import Space
from retrieval.domain.errors import PlacementBusy
from retrieval.domain.passages import EmbeddingSpace, SearchRequest, Vector, WeightedQuery
from retrieval.models import Chunk, ChunkEmbedding, Document, Placement
from retrieval.models import EmbeddingSpace as SpaceRow
from retrieval.selectors import documents_visible_to
from retrieval.services import equipment, equipped, search, space_demote, space_promote, spaces_due
from tenants.access import Principal
from tenants.scoping import tenant_scope

TRIES = 30
LIMIT = 10
_MEASURED_SIZES = 5


@dataclass(frozen=True, slots=True)
class Plan:
    chunks: int
    tenants: int
    queries: int = 40
    promoted: int = 0
    removed_after: bool = True


class KnownQuestions:
    """An EmbeddingPort that knows the vectors of the benchmark's questions: embedding takes no time here."""

    space = EmbeddingSpace("benchmark", "synthetic", 384)

    def __init__(self) -> None:
        self.vectors: dict[str, Vector] = {}

    def embed_query(self, text: str) -> Vector:
        return self.vectors[text]

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return [self.vectors[text] for text in texts]

    embed_passages = embed_queries

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def run(plan: Plan, report: Report) -> dict[str, Any]:
    """The figures as JSON: `{"rows": [{"tenant_size", "permitted", "recall@10", "rows", "p50_ms", …}]}`."""
    known = KnownQuestions()
    with equipped(replace(equipment(), embeddings=known)), _tenants(plan, report) as loaded:
        began = time.perf_counter()
        for tenant in loaded:
            _settle(tenant)
        _vacuum()
        settled = time.perf_counter() - began
        rows = []
        chosen = _chosen(loaded)
        for number, tenant in enumerate(chosen, start=1):
            known.vectors |= dict(tenant.questions)
            with tenant_scope(tenant.tenant.id):
                rows += [_row(tenant, share) for share in SHARES]
            report("measuring", number, len(chosen))
    return {
        "chunks": plan.chunks + plan.promoted,
        "tenants": plan.tenants + bool(plan.promoted),
        "promotion_s": round(settled, 1),
        "rows": rows,
    }


@contextmanager
def _tenants(plan: Plan, report: Report) -> Iterator[list[Loaded]]:
    loader, loaded = Loader(), []
    wanted = sizes(plan.chunks, plan.tenants) + ([plan.promoted] if plan.promoted else [])
    done, mark = 0, f"bench-{int(time.time())}"
    try:
        for number, passages in enumerate(wanted):
            loaded.append(loader.load(f"{mark}-{number}", passages, questions=plan.queries))
            done += passages
            report("loading passages", done, sum(wanted))
        yield loaded
    finally:
        if plan.removed_after:
            remove(loaded)


def remove(loaded: Sequence[Loaded]) -> None:
    """Tenants that the loader made, with everything they have."""
    for one in loaded:
        with tenant_scope(one.tenant.id):
            # In this order nothing is left to cascade.
            for model in (ChunkEmbedding, Chunk, Document):
                model.objects.all()._raw_delete(using="default")
            for space in SpaceRow.objects.exclude(placement=Placement.SHARED):
                space_demote(space_id=space.id)
        tenant_remove(one.tenant)


def _settle(tenant: Loaded) -> None:
    """What the sweep does in the background."""
    with tenant_scope(tenant.tenant.id):
        for space_id in spaces_due():
            _promote(space_id)


def _promote(space_id: UUID) -> None:
    """Again where something else, such as autovacuum after so many rows, holds the table at that moment."""
    for left in reversed(range(TRIES)):
        try:
            space_promote(space_id=space_id)
        except PlacementBusy:
            if not left:
                raise
            time.sleep(1)
        else:
            return


def _vacuum() -> None:
    """What autovacuum has done by the time that a tenant is searched."""
    with connection.cursor() as cursor:
        for table in ("document", "chunk", "chunkembedding"):
            cursor.execute(f"vacuum (analyze) retrieval_{table}")


def _chosen(loaded: Sequence[Loaded]) -> list[Loaded]:
    """The largest, the smallest, and some evenly spread by rank on a logarithmic scale."""
    ordered = sorted(loaded, key=lambda one: -one.passages)
    last = len(ordered) - 1
    ranks = {0, last} | {round(last ** (n / (_MEASURED_SIZES - 1))) for n in range(_MEASURED_SIZES)}
    return [ordered[rank] for rank in sorted(ranks) if rank <= last]


def _row(tenant: Loaded, share: float) -> dict[str, Any]:
    principal = Principal(tenant_id=tenant.tenant.id, group_ids=(tenant.groups[share],))
    visible = dict(documents_visible_to(principal).values_list("id", "chunk_count"))
    permitted = tuple(visible)
    space = SpaceRow.objects.get()
    known = Space(space.id, space.placement, space.search_width or 0, space.dimensions)
    times: dict[str, list[float]] = {"p": [], "floor": [], "dense": []}
    recalls, counts = [], []
    with bare.connected(tenant.tenant.id) as driver:
        _warm(driver, known, principal, permitted, tenant.questions[0])
        for number, (text, vector) in enumerate(tenant.questions):
            request = SearchRequest((WeightedQuery(text),), principal, limit=LIMIT)
            dense = replace(request, queries=(WeightedQuery(text, lexical_weight=0.0),))
            service = "p", partial(search, request=request)
            floor = "floor", bare.search_call(driver, known, request, vector)
            # Whoever comes second finds the pages warm: they take turns.
            for name, call in (service, floor) if number % 2 else (floor, service):
                _timed(times[name], call)
            nearest = bare.nearest_call(driver, space.id, permitted, vector, LIMIT)
            exact = {row[0] for row in _timed(times["dense"], nearest)}
            hits = search(request=dense).hits
            counts.append(len(hits))
            recalls.append(len(exact & {hit.chunk_id for hit in hits}) / max(1, len(exact)))
    return {
        "tenant_size": tenant.passages,
        "permitted": share,
        "placement": space.placement,
        "recall@10": sum(recalls) / len(recalls),
        "rows": min(counts),
        "rows_possible": min(LIMIT, sum(visible.values())),
        "p50_ms": median(times["p"]),
        "p95_ms": p95(times["p"]),
        "floor_p50_ms": median(times["floor"]),
        "floor_p95_ms": p95(times["floor"]),
        "dense_floor_p50_ms": median(times["dense"]),
        "p50_to_floor": median(times["p"]) / median(times["floor"]),
    }


def _warm(
    driver: Any, space: Space, principal: Principal, documents: Sequence[UUID], question: tuple[str, Vector]
) -> None:
    """PostgreSQL plans a statement anew the first five times that a connection runs it."""
    text, vector = question
    request = SearchRequest((WeightedQuery(text),), principal, limit=LIMIT)
    for _ in range(6):
        search(request=request)
        bare.search_call(driver, space, request, vector)()
        bare.nearest_call(driver, space.id, documents, vector, LIMIT)()


def _timed(into: list[float], call: Callable[[], Any]) -> Any:
    began = time.perf_counter()
    answer = call()
    into.append((time.perf_counter() - began) * 1000)
    return answer
