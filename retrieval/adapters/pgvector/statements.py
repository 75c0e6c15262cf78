"""Named SQL, put together and run so that PostgreSQL plans each text once for a connection."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.backends.postgresql.base import CursorMixin  # type: ignore[attr-defined]
from psycopg import RawCursor

from retrieval.domain.passages import Vector

_NAME = re.compile(r"%\((\w+)\)s")
_COMMENT = re.compile(r"^\s*--.*\n", re.MULTILINE)
_PART = re.compile(r"^([ ]*)--\+(\w+)$", re.MULTILINE)


class _PreparedCursor(CursorMixin, RawCursor[Any]):  # type: ignore[misc]
    """Takes `$1` for parameters: psycopg would look for names in a long text again each time."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        return super().execute(query, params, prepare=True)


class Statement:
    """A text with `%(name)s` parameters, each numbered once and for all."""

    def __init__(self, text: str) -> None:
        self.names = tuple(dict.fromkeys(_NAME.findall(text)))
        numbers = {name: f"${number}" for number, name in enumerate(self.names, start=1)}
        self.text = _NAME.sub(lambda found: numbers[found[1]], _COMMENT.sub("", text)).replace("%%", "%")

    def fetch(self, values: Mapping[str, Any]) -> list[Any]:
        """Run it in the current scope. PostgreSQL plans it once for a connection: that takes longer than it runs."""
        connection.ensure_connection()
        if settings.ANTECEDENT.get("PREPARE", True):
            # Django switches preparing off; so high, nothing is prepared but what asks for it.
            connection.connection.prepare_threshold = sys.maxsize
        make = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
        with make(_PreparedCursor(connection.connection)) as cursor:
            cursor.execute(self.text, [values[name] for name in self.names])
            rows: list[Any] = cursor.fetchall()
            return rows


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
    return f"[{','.join([format(value, '.5g') for value in vector])}]"


def array_literal(values: Sequence[UUID | int | float]) -> str:
    """An array that has no type of its own, so that a statement keeps its plan whatever the values are."""
    return f"{{{','.join(map(str, values))}}}"
