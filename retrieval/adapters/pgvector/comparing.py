"""How near a vector comes to passages that are known by their ids: one statement, asked where the vectors lie."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db import ProgrammingError
from psycopg.errors import UndefinedTable

from kernel.traced import Kind, span
from retrieval.adapters.pgvector.layout import Layout, Space, layout_of, nearness_statement
from retrieval.adapters.pgvector.searching import MOVES, Layouts
from retrieval.adapters.pgvector.texts import vector_literal
from retrieval.domain.passages import Compared, Vector, Viewer
from tenants.postgres.statements import array_literal


def nearness(
    layouts: Layouts,
    *,
    tenant_id: UUID,
    space_id: UUID,
    principal: Viewer,
    vector: Vector,
    chunk_ids: Collection[UUID],
) -> dict[UUID, Compared]:
    """See `PassageIndex.nearness`. Asked again only when the space has moved since this process last heard of it."""
    values = {
        "tenant_id": tenant_id,
        "space_id": space_id,
        "user_id": principal.user_id,
        "group_ids": array_literal(principal.group_ids),
        "sees_all": principal.sees_all,
        "chunk_ids": array_literal(list(chunk_ids)),
        "vector": vector_literal(vector),
    }
    rows: list[Any] = []
    for _ in range(MOVES):
        known = layouts.of(tenant_id)
        mine = tuple(space for space in known if space.id == space_id)
        seen: Layout = ()
        try:
            with span("compare with passages", Kind.CALLED, {"db.system.name": "postgresql"}):
                rows = nearness_statement(mine).fetch(values, may_fail=bool(mine))
        except ProgrammingError as error:
            if not mine or not isinstance(error.__cause__, UndefinedTable):
                raise
        else:
            told = rows[0][0]
            seen = layout_of([Space.read(told)] if told else ())
            if mine or not seen:
                break
        others = (space for space in known if space.id != space_id)
        layouts.correct(tenant_id, layout_of([*others, *seen]))
    found = (
        (chunk_id, Compared(float(cosine), text))
        for _, chunk_id, cosine, text in rows
        if chunk_id is not None
    )
    return dict(found)
