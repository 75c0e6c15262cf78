"""The bare driver, to measure what the service adds to its own SQL. Used by the benchmark only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
from django.db import connection

from retrieval.adapters.pgvector import searching
from retrieval.adapters.pgvector.layout import Space, layout_of, search_statement
from retrieval.adapters.pgvector.texts import named, vector_literal
from retrieval.domain.passages import SearchRequest, Vector
from tenants.postgres.statements import PLANNED_ONCE, array_literal, settings_text

Call = Callable[[], list[Any]]


@contextmanager
def connected(tenant_id: UUID) -> Iterator[psycopg.Connection[Any]]:
    """A connection of its own, as the same role, that may see one tenant until it is closed."""
    known = {
        name: connection.get_connection_params()[name]
        for name in ("dbname", "user", "password", "host", "port")
    }
    with psycopg.connect(
        **known, autocommit=True, cursor_factory=psycopg.RawCursor, prepare_threshold=0
    ) as driver:
        driver.execute("select set_config('antecedent.tenant_id', $1, false)", [str(tenant_id)])
        yield driver


def search_call(
    driver: psycopg.Connection[Any], space: Space, request: SearchRequest, vector: Vector
) -> Call:
    """The statement that the service sends for one query, ready to be run."""
    tenant_id = driver.execute("select current_setting('antecedent.tenant_id')").fetchone()
    assert tenant_id is not None
    values = searching.parameters(UUID(tenant_id[0]), space.id, request, {space.id: [vector]})
    layout = layout_of([space])
    mode = searching.mode_of(layout, values, narrowed=False)
    statement = search_statement(layout, mode, narrowed=False)
    driver.execute(settings_text({**PLANNED_ONCE, **searching.tuning(layout, mode)}, local=False))
    arguments = [values[name] for name in statement.names]
    return lambda: driver.execute(statement.text, arguments).fetchall()


def nearest_call(
    driver: psycopg.Connection[Any], space_id: UUID, documents: Sequence[UUID], vector: Vector, limit: int
) -> Call:
    """Exact ranking of the vectors of some documents, and nothing else; returns chunk ids."""
    arguments = [space_id, array_literal(documents), vector_literal(vector), limit]
    return lambda: driver.execute(named("bare_nearest"), arguments).fetchall()
