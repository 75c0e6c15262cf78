"""Named SQL, put together and run so that PostgreSQL plans each text once for a connection."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.backends.postgresql.base import CursorMixin  # type: ignore[attr-defined]
from psycopg import RawCursor

from retrieval.domain.passages import Vector
from tenants.scoping import current_tenant_id

_NAME = re.compile(r"%\((\w+)\)s")
_COMMENT = re.compile(r"^\s*--.*\n", re.MULTILINE)
_PART = re.compile(r"^([ ]*)--\+(\w+)$", re.MULTILINE)


class _PreparedCursor(CursorMixin, RawCursor[Any]):  # type: ignore[misc]
    """Takes `$1` for parameters: psycopg would look for names in a long text again each time."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        return super().execute(query, params, prepare=True)


Settings = Mapping[str, str | int]

PLANNED_ONCE: Settings = {"plan_cache_mode": "force_generic_plan"}
"""Left to itself PostgreSQL compares what it thinks that plans cost, and for some tenants plans every search anew."""


class Statement:
    """A text with `%(name)s` parameters, each numbered once and for all."""

    def __init__(self, text: str) -> None:
        self.names = tuple(dict.fromkeys(_NAME.findall(text)))
        numbers = {name: f"${number}" for number, name in enumerate(self.names, start=1)}
        self.text = _NAME.sub(lambda found: numbers[found[1]], _COMMENT.sub("", text)).replace("%%", "%")

    def fetch(
        self, values: Mapping[str, Any], tuning: Settings | None = None, *, may_fail: bool = False
    ) -> list[Any]:
        """Run it in the current tenant's scope, with `tuning` for this statement only.

        PostgreSQL plans it once for a connection: that takes longer than it runs. `may_fail` keeps a transaction
        that the caller has open alive when it does.
        """
        connection.ensure_connection()
        if settings.ANTECEDENT.get("PREPARE", True):
            # Django switches preparing off; so high, nothing is prepared but what asks for it.
            connection.connection.prepare_threshold = sys.maxsize
        arguments = [values[name] for name in self.names]
        tuned = {**PLANNED_ONCE, **(tuning or {})}
        in_parts = connection.queries_logged or settings.ANTECEDENT.get("DISTRIBUTED", False)
        if connection.in_atomic_block or in_parts:
            return self._within_transaction(arguments, tuned, savepoint=may_fail)
        return self._in_one_trip(arguments, tuned)

    def _in_one_trip(self, arguments: Sequence[Any], tuned: Settings) -> list[Any]:
        """With its scope in one message, which PostgreSQL runs as one transaction: the settings end with it.

        Not where tables are distributed: Citus passes on what `set local` says after a `begin`, and nothing else.
        """
        driver = connection.connection
        scope, answer = RawCursor(driver), RawCursor(driver)
        with connection.wrap_database_errors:
            with driver.pipeline():
                scope.execute(_scope_text(tuple(tuned.items())), [str(current_tenant_id())], prepare=True)
                answer.execute(self.text, arguments, prepare=True)
            rows: list[Any] = answer.fetchall()
        return rows

    def _within_transaction(self, arguments: Sequence[Any], tuned: Settings, *, savepoint: bool) -> list[Any]:
        driver = connection.connection
        make = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
        with transaction.atomic(savepoint=savepoint), make(_PreparedCursor(driver)) as cursor:
            connection.begin_in_scope()  # type: ignore[attr-defined]
            with connection.wrap_database_errors:
                RawCursor(driver).execute(settings_text(tuned))
            cursor.execute(self.text, arguments)
            rows: list[Any] = cursor.fetchall()
            with connection.wrap_database_errors:
                RawCursor(driver).execute("; ".join(f"set local {name} to default" for name in tuned))
            return rows


@lru_cache(maxsize=64)
def _scope_text(tuned: tuple[tuple[str, str | int], ...]) -> str:
    return f"{settings_text(dict(tuned))}, set_config('antecedent.tenant_id', $1, true)"


def settings_text(wanted: Settings, *, local: bool = True) -> str:
    """The statement that makes settings, until the end of the transaction or of the session. Names and values are ours."""
    calls = (f"set_config('{name}', '{value}', {local})" for name, value in wanted.items())
    return f"select {', '.join(calls)}"


@cache
def named(name: str) -> str:
    """The text of `sql/<name>.sql`."""
    return resources.files("retrieval").joinpath("sql", f"{name}.sql").read_text("utf-8")


def with_parts(text: str, parts: Mapping[str, str]) -> str:
    """`text` with each line `--+name` replaced by that part, indented likewise."""

    def part(found: re.Match[str]) -> str:
        indent = found[1]
        lines = (line for line in parts[found[2]].splitlines() if line.strip())
        return "\n".join(f"{indent}{line}" for line in lines)

    return _PART.sub(part, text)


def vector_literal(vector: Vector) -> str:
    """What `halfvec` reads; it keeps about three digits, so five are enough."""
    return f"[{','.join(['%.5g'] * len(vector)) % tuple(vector)}]"


def array_literal(values: Sequence[UUID | int | float]) -> str:
    """An array that has no type of its own, so that a statement keeps its plan whatever the values are."""
    return f"{{{','.join(map(str, values))}}}"


def vectors_literal(vectors: Sequence[Vector]) -> str:
    """An array of vectors as text, written at once: psycopg would look for quotes in every one."""
    quoted = (f'"{vector_literal(vector)}"' for vector in vectors)
    return f"{{{','.join(quoted)}}}"
