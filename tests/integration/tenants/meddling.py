"""Somebody with every right in the database and no key: rows changed behind the product's back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import psycopg
from django.db import connection
from psycopg.rows import dict_row, tuple_row

from embedded.stack import Endpoints
from tenants.audit_chain import Stored

COLUMNS = "id, seq, at::text, actor, actor_id, actor_label, action, target, data::text, previous, hash"


class Meddler:
    """SQL as the superuser, without the wall and without triggers."""

    def __init__(self, raw: psycopg.Connection[Any]) -> None:
        self.raw = raw

    def __call__(self, sql: str, **params: Any) -> int:
        return self.raw.execute(sql, params).rowcount

    def rows(self, sql: str, **params: Any) -> list[dict[str, Any]]:
        return self.raw.execute(sql, params).fetchall()

    def rehash(self, tenant_id: Any, first: int = 1) -> None:
        """Make the chain fit again from an entry on, as somebody who has read the code would."""
        with self.raw.cursor(row_factory=tuple_row) as cursor:
            cursor.execute(
                f"select {COLUMNS} from tenants_auditentry where tenant_id = %s order by seq", [tenant_id]
            )
            rows = [Stored(*row) for row in cursor.fetchall()]
        previous = next((row.hash for row in reversed(rows) if row.seq < first), "")
        for row in (row for row in rows if row.seq >= first):
            self("update tenants_auditentry set previous = %(p)s where id = %(id)s", p=previous, id=row.id)
            fields = {name: getattr(row, name) for name in Stored.__slots__} | {"previous": previous}
            previous = Stored(**fields).entry(tenant_id).hash
            self("update tenants_auditentry set hash = %(h)s where id = %(id)s", h=previous, id=row.id)

    def end_at(self, tenant_id: Any, seq: int) -> None:
        """Point the head at an entry, without being able to seal it."""
        self(
            "update tenants_audithead h set seq = e.seq, hash = e.hash from tenants_auditentry e"
            " where h.tenant_id = %(t)s and e.tenant_id = %(t)s and e.seq = %(s)s",
            t=tenant_id,
            s=seq,
        )


@contextmanager
def meddler(stack: Endpoints) -> Iterator[Meddler]:
    name = connection.settings_dict["NAME"]
    with psycopg.connect(
        stack.superuser_database_url, dbname=name, autocommit=True, row_factory=dict_row
    ) as raw:
        raw.execute("set session_replication_role = replica")  # no triggers, no foreign keys
        raw.execute("set timezone = 'UTC'")
        yield Meddler(raw)


def guessed_seal(text: str) -> str:
    """The best that somebody without the key can do."""
    return sha256(text.encode()).hexdigest()
