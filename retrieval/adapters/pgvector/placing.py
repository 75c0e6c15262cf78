"""Homes of vectors: a partition is made, filled, indexed, measured and given up while searches and writes go on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar
from uuid import UUID

from django.db import OperationalError, connection, transaction
from psycopg.errors import DeadlockDetected, LockNotAvailable

from retrieval.adapters.pgvector.layout import SHARED_HOME, partition
from retrieval.adapters.pgvector.texts import named
from retrieval.domain.errors import PlacementBusy
from retrieval.domain.ports import Moved
from tenants.scoping import no_scope

T = TypeVar("T")

_LOCK_WAIT = "800ms"
"""Attaching and removing wait for writes under way, and others wait behind them: rather try again later. Shorter than
`deadlock_timeout`, so that who comes into a deadlock with a move is never the one who fails."""
_TRIES = 4
_PAUSE_SECONDS = 0.3
_MEMORY = "1GB"
_NEIGHBOURS, _CONSTRUCTION = 16, 128
_SAMPLED = 25


class PgvectorHomes:
    """A VectorHomes on partitions. Its role owns the tables, and row-level security binds it all the same."""

    def open(self, *, tenant_id: UUID, space_id: UUID) -> None:
        values = {"partition": partition(space_id), "space_id": space_id, "tenant_id": tenant_id}

        def make(cursor: Any) -> None:
            if not _exists(cursor, space_id):
                cursor.execute(named("partition_create").format(**values))

        _patiently(make)

    def move(self, *, tenant_id: UUID, space_id: UUID, own: bool, after: UUID | None, limit: int) -> Moved:
        values: dict[str, Any] = {
            "tenant_id": tenant_id,
            "space_id": space_id,
            "after": after or SHARED_HOME,
            "limit": limit,
            "source": SHARED_HOME if own else space_id,
            "target": space_id if own else SHARED_HOME,
        }
        with connection.cursor() as cursor:
            cursor.execute(named("vectors_move"), values)
            last, vectors = cursor.fetchone()
        return Moved(last, int(vectors))

    def build(self, *, space_id: UUID, dimensions: int) -> bool:
        """Not inside a transaction: the index is built beside searches and writes."""
        table = partition(space_id)
        with no_scope(), connection.cursor() as cursor:
            if _index_state(cursor, table) is False:
                cursor.execute(f"drop index concurrently if exists {table}_hnsw")
            cursor.execute("select set_config('maintenance_work_mem', %s, false)", [_MEMORY])
            try:
                cursor.execute(
                    f"create index concurrently if not exists {table}_hnsw on {table} using hnsw"
                    f" ((embedding::halfvec({dimensions})) halfvec_cosine_ops)"
                    f" with (m = {_NEIGHBOURS}, ef_construction = {_CONSTRUCTION})"
                )
            finally:
                cursor.execute("reset maintenance_work_mem")
            cursor.execute(f"analyze {table}")
            return _index_state(cursor, table) is True

    def measure(
        self, *, space_id: UUID, dimensions: int, widths: Sequence[int]
    ) -> Iterator[tuple[int, float]]:
        table = partition(space_id)
        text = named("vectors_nearest").format(partition=table, dimensions=dimensions)
        with transaction.atomic(), connection.cursor() as cursor:
            questions = _questions(cursor, table)
            cursor.execute("set local enable_indexscan = off")
            exact = [_ids(cursor, text, vector) for vector in questions]
            cursor.execute("set local enable_indexscan = on; set local enable_seqscan = off")
            for width in widths:
                cursor.execute(f"set local hnsw.ef_search = {int(width)}")
                found = [_ids(cursor, text, vector) for vector in questions]
                shares = [len(a & b) / len(a) for a, b in zip(exact, found, strict=True) if a]
                yield width, sum(shares) / len(shares) if shares else 1.0

    def close(self, *, space_id: UUID) -> bool:
        """Dropped where it hangs: detached first, its references would become its own, and removing those locks the
        tables of documents and passages against every search."""
        table = partition(space_id)

        def remove(cursor: Any) -> bool:
            if not _exists(cursor, space_id):
                return True
            if _holds_any(cursor, table):
                return False
            cursor.execute("lock table only retrieval_chunkembedding in access exclusive mode")
            cursor.execute(f"lock table {table} in access exclusive mode")
            if _holds_any(cursor, table):
                return False
            cursor.execute(f"drop table {table}")
            return True

        return _patiently(remove)


def _patiently(step: Callable[[Any], T]) -> T:
    """A step in a transaction of its own that never waits long for a lock, but several times."""
    for again in reversed(range(_TRIES)):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"set local lock_timeout = '{_LOCK_WAIT}'")
                return step(cursor)
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable | DeadlockDetected):
                raise
            if not again:
                raise PlacementBusy from error
        time.sleep(_PAUSE_SECONDS)
    raise PlacementBusy


def _holds_any(cursor: Any, table: str) -> bool:
    cursor.execute(f"select exists(select from {table})")  # noqa: S608
    return bool(cursor.fetchone()[0])


def _exists(cursor: Any, space_id: UUID) -> bool:
    cursor.execute("select to_regclass(%s) is not null", [partition(space_id)])
    return bool(cursor.fetchone()[0])


def _index_state(cursor: Any, table: str) -> bool | None:
    """Whether the index is valid; None when there is none, or somebody is building it."""
    cursor.execute(
        "select i.indisvalid from pg_index i where i.indexrelid = to_regclass(%s) and not exists"
        " (select from pg_stat_progress_create_index b where b.relid = i.indrelid)",
        [f"{table}_hnsw"],
    )
    row = cursor.fetchone()
    return None if row is None else bool(row[0])


def _questions(cursor: Any, table: str) -> list[str]:
    cursor.execute("select greatest(1, reltuples) from pg_class where oid = to_regclass(%s)", [table])
    percent = min(100.0, 100.0 * 4 * _SAMPLED / cursor.fetchone()[0])
    cursor.execute(named("vectors_sample").format(partition=table, percent=percent, limit=_SAMPLED))
    return [row[0] for row in cursor.fetchall()]


def _ids(cursor: Any, text: str, vector: str) -> frozenset[UUID]:
    cursor.execute(text, {"vector": vector})
    return frozenset(row[0] for row in cursor.fetchall())
