"""A search: the right statement for where the vectors lie, and again if that has changed."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import ProgrammingError
from psycopg.errors import UndefinedTable

from kernel.traced import Kind, span
from retrieval.adapters.pgvector.layout import (
    EXACT_PASSAGES,
    INDEX_COST,
    WORDY_FOR_RARE,
    WORDY_PASSAGES,
    Layout,
    Mode,
    Space,
    estimate_statement,
    layout_of,
    search_statement,
)
from retrieval.adapters.pgvector.texts import vectors_literal
from retrieval.domain.fusion import RRF_K
from retrieval.domain.passages import SearchHit, SearchRequest, Vector
from retrieval.domain.ports import IndexAnswer
from tenants.postgres.statements import Settings, array_literal

_REMEMBERED = 10_000
_MODE_SECONDS = 30.0
MOVES = 5
"""So often a layout may change under one search before it is searched as it was last seen."""
_MAX_SCAN = 20_000
_NEAR = 100
"""Nearest passages that are looked at: what is ranked by words where too many are permitted."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What one statement answered: hits, and the facts of its snapshot."""

    hits: tuple[SearchHit, ...]
    spaces: tuple[Space, ...]
    least_found: int


class Layouts:
    """The last known layout of each tenant, and how the last searches went: guesses that every answer corrects."""

    def __init__(self) -> None:
        self._known: dict[UUID, Layout] = {}
        self._modes: dict[Hashable, tuple[float, Mode]] = {}

    def mode(
        self, layout: Layout, request: SearchRequest, values: Mapping[str, Any], *, narrowed: bool
    ) -> Mode:
        """`mode_of`, kept for a while: a grant that is given or taken meanwhile makes it slower, never wrong."""
        who = request.principal
        key = (layout, values["tenant_id"], who.user_id, who.group_ids, who.sees_all, request.filters)
        told, mode = self._modes.get(key, (-_MODE_SECONDS, Mode.EXACT))
        if time.monotonic() - told < _MODE_SECONDS:
            return mode
        mode = mode_of(layout, values, narrowed=narrowed)
        if any(space.has_index for space in layout):
            if len(self._modes) >= _REMEMBERED:
                self._modes.clear()
            self._modes[key] = (time.monotonic(), mode)
        return mode

    def of(self, tenant_id: UUID) -> Layout:
        return self._known.get(tenant_id, ())

    def correct(self, tenant_id: UUID, layout: Layout) -> None:
        if not layout:
            self._known.pop(tenant_id, None)
        elif layout != self._known.get(tenant_id):
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[tenant_id] = layout


def search(
    layouts: Layouts,
    *,
    tenant_id: UUID,
    space_id: UUID,
    request: SearchRequest,
    vectors: Mapping[UUID, Sequence[Vector | None]],
) -> IndexAnswer:
    """See `PassageIndex.search`."""
    values = parameters(tenant_id, space_id, request, vectors)
    narrowed = _is_narrowed(request)
    layout = layouts.of(tenant_id)
    mode = layouts.mode(layout, request, values, narrowed=narrowed)
    told = _Told((), (), 0)
    for _ in range(MOVES):
        try:
            told = _ask(layout, mode, values, narrowed)
        except ProgrammingError as error:
            if not layout or not isinstance(error.__cause__, UndefinedTable):
                raise
            seen: Layout = ()  # a partition that was remembered has been given up since
        else:
            seen = layout_of(told.spaces)
            if set(seen) <= set(layout):
                if mode is Mode.EXACT or told.least_found >= values["candidates"]:
                    break
                mode = Mode.EXACT
                continue
        layout = seen
        layouts.correct(tenant_id, layout)
        mode = layouts.mode(layout, request, values, narrowed=narrowed)
    return IndexAnswer(told.hits, frozenset(space.id for space in told.spaces))


def _is_narrowed(request: SearchRequest) -> bool:
    filters = request.filters
    return bool(filters.document_ids or filters.tags or filters.uploaded_from or filters.uploaded_until)


def mode_of(layout: Layout, values: Mapping[str, Any], *, narrowed: bool) -> Mode:
    """By index only where much is permitted: among little, the index would have to pass by nearly everything."""
    if not any(space.has_index for space in layout):
        return Mode.EXACT
    permitted, total = estimate_statement(narrowed=narrowed).fetch(values)[0]
    by_index = permitted > EXACT_PASSAGES and permitted**2 >= INDEX_COST * total
    return Mode.INDEX if by_index else Mode.EXACT


def _ask(layout: Layout, mode: Mode, values: Mapping[str, Any], narrowed: bool) -> _Told:
    statement = search_statement(layout, mode, narrowed=narrowed)
    with span(
        "search passages", Kind.CALLED, {"db.system.name": "postgresql", "antecedent.mode": mode.value}
    ):
        rows = statement.fetch(values, tuning(layout, mode), may_fail=bool(layout))
    spaces, least_found = rows[0][15:]
    hits = tuple(_hit(row) for row in rows if row[0] is not None)
    return _Told(hits, tuple(map(Space.read, spaces)), least_found or 0)


def tuning(layout: Layout, mode: Mode) -> Settings:
    """For a search by index: the index is used, and its scan goes on until enough permitted passages were found."""
    if mode is not Mode.INDEX:
        return {}
    return {
        "hnsw.ef_search": min(1000, max(_NEAR, *(space.width for space in layout))),
        "hnsw.iterative_scan": "relaxed_order",
        "hnsw.max_scan_tuples": _MAX_SCAN,
        "enable_seqscan": "off",
        "enable_sort": "off",
    }


def parameters(
    tenant_id: UUID, space_id: UUID, request: SearchRequest, vectors: Mapping[UUID, Sequence[Vector | None]]
) -> dict[str, Any]:
    queries, filters, principal = request.queries, request.filters, request.principal
    rows = [
        (number, space, query.dense_weight, vector)
        for space, made in vectors.items()
        for number, (query, vector) in enumerate(zip(queries, made, strict=True), start=1)
        if vector is not None
    ]
    return {
        "tenant_id": tenant_id,
        "space_id": space_id,
        "user_id": principal.user_id,
        "group_ids": array_literal(principal.group_ids),
        "sees_all": principal.sees_all,
        "corpus_ids": array_literal(filters.corpus_ids),
        "document_ids": array_literal(filters.document_ids),
        "tags": list(filters.tags),
        "uploaded_from": filters.uploaded_from,
        "uploaded_until": filters.uploaded_until,
        "texts": [query.text.replace("\x00", "") for query in queries],
        "lexical_weights": array_literal([query.lexical_weight for query in queries]),
        "every_word": array_literal([int(query.every_word) for query in queries]),
        "vector_numbers": array_literal([row[0] for row in rows]),
        "vector_spaces": array_literal([row[1] for row in rows]),
        "vector_weights": array_literal([row[2] for row in rows]),
        "vectors": vectors_literal([row[3] for row in rows]),
        "excluded": array_literal(request.excluded_chunk_ids),
        "candidates": max(request.candidates, request.limit),
        "near": max(request.candidates, request.limit, _NEAR),
        "wordy": WORDY_FOR_RARE if request.rare_words else WORDY_PASSAGES,
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
