"""Named SQL, run so that PostgreSQL plans each text once for a connection, and several in one round trip.

For what every turn does: there the ORM takes longer to put a statement together than PostgreSQL takes to run it.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Generic, Self, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import JSONField, Model
from psycopg import RawCursor

from kernel.json import json_read
from kernel.traced import Kind, span
from tenants.scoping import current_tenant_id

T = TypeVar("T")
M = TypeVar("M", bound=Model)
_NAME = re.compile(r"%\((\w+)\)s")
_COMMENT = re.compile(r"^\s*--.*\n", re.MULTILINE)
_PART = re.compile(r"^([ ]*)--\+(\w+)$", re.MULTILINE)

_SYSTEM = {"db.system.name": "postgresql"}

Settings = Mapping[str, str | int]

PLANNED_ONCE: Settings = {"plan_cache_mode": "force_generic_plan"}
"""Left to itself PostgreSQL compares what it thinks that plans cost, and for some tenants plans every search anew."""


class Statement:
    """A text with `%(name)s` parameters, each numbered once and for all. `name` is what traces call it."""

    def __init__(self, text: str, name: str = "statement") -> None:
        self.name = name
        self.names = tuple(dict.fromkeys(_NAME.findall(text)))
        numbers = {name: f"${number}" for number, name in enumerate(self.names, start=1)}
        self.text = _NAME.sub(lambda found: numbers[found[1]], _COMMENT.sub("", text)).replace("%%", "%")

    def arguments(self, values: Mapping[str, Any]) -> list[Any]:
        """The parameters in their order. That of the tenant is the current one's unless it is given."""
        known = {"tenant_id": current_tenant_id(), **values}
        return [known[name] for name in self.names]

    @classmethod
    def named(cls, app: str, name: str) -> Self:
        """The statement of `<app>/sql/<name>.sql`."""
        return cls(named(app, name), name)

    def fetch(
        self, values: Mapping[str, Any], tuning: Settings | None = None, *, may_fail: bool = False
    ) -> list[Any]:
        """Its rows, in the current tenant's scope, planned once and with `tuning` for this statement only.

        `may_fail` keeps a transaction that the caller has open alive when it does.
        """
        tuned = {**PLANNED_ONCE, **(tuning or {})}
        return _fetched([(self, values)], tuned, savepoint=may_fail)[0]


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """A question to the database that may travel with others, and how its rows are read."""

    statement: Statement
    values: Mapping[str, Any]
    read: Callable[[list[Any]], T]


def answers(*asked: Asked[Any]) -> list[Any]:
    """What each of them reads, all asked in one round trip and, where no transaction is open, in one of their own.

    Every statement sees what those before it have done.
    """
    found = _fetched([(one.statement, one.values) for one in asked], {})
    return [one.read(rows) for one, rows in zip(asked, found, strict=True)]


def answer(asked: Asked[T]) -> T:
    """What one question reads."""
    read: T = answers(asked)[0]
    return read


def instances_of(model: type[M], *columns: str) -> Callable[[Sequence[Any]], M]:
    """How a row with these columns becomes an instance; what is not among them is read when it is asked for."""
    fields = [field for field in model._meta.concrete_fields if field.attname in columns]
    assert len(fields) == len(columns), f"{model.__name__} has not all of {columns}"
    places = [columns.index(field.attname) for field in fields]
    is_json = [isinstance(field, JSONField) for field in fields]

    def instance(row: Sequence[Any]) -> M:
        values = [row[place] for place in places]
        read = [json_read(v) if js and v is not None else v for v, js in zip(values, is_json, strict=True)]
        return model.from_db(connection.alias, columns, read)

    return instance


Calls = Sequence[tuple[Statement, Mapping[str, Any]]]
Texts = Sequence[tuple[str, Sequence[Any]]]


def _fetched(calls: Calls, tuned: Settings, *, savepoint: bool = False) -> list[list[Any]]:
    connection.ensure_connection()
    if settings.ANTECEDENT.get("PREPARE", True):
        # Django switches preparing off; so high, nothing is prepared but what asks for it.
        connection.connection.prepare_threshold = sys.maxsize
    texts = [(one.text, one.arguments(values)) for one, values in calls]
    began = time.perf_counter()
    with span(", ".join(one.name for one, _ in calls), Kind.CALLED, _SYSTEM):
        if connection.in_atomic_block or settings.ANTECEDENT.get("DISTRIBUTED", False):
            rows = _within_transaction(texts, tuned, savepoint=savepoint)
        else:
            # The scope goes along in the same message, which PostgreSQL runs as one transaction: the settings end with
            # it. Not where tables are distributed: Citus passes on what is set after a `begin`, and nothing else.
            scope = (_scope_text(tuple(tuned.items())), [str(current_tenant_id())])
            rows = in_one_trip([scope, *texts])[1:]
    if connection.queries_logged:  # as Django's own cursors do, for debugging and for tests that count
        seconds = f"{time.perf_counter() - began:.3f}"
        connection.queries_log.extend({"sql": text, "time": seconds} for text, _ in texts)
    return rows


def in_one_trip(texts: Texts) -> list[list[Any]]:
    """The rows of each statement; all are sent before the first is answered."""
    driver = connection.connection
    cursors = [RawCursor(driver) for _ in texts]
    with connection.wrap_database_errors:
        with driver.pipeline():
            for cursor, (text, arguments) in zip(cursors, texts, strict=True):
                cursor.execute(text, arguments, prepare=True)
        return [cursor.fetchall() if cursor.description else [] for cursor in cursors]


def _within_transaction(texts: Texts, tuned: Settings, *, savepoint: bool) -> list[list[Any]]:
    driver = connection.connection
    with transaction.atomic(savepoint=savepoint):
        connection.begin_in_scope()  # type: ignore[attr-defined]
        _set(driver, settings_text(tuned) if tuned else "")
        rows = in_one_trip(texts)
        _set(driver, "; ".join(f"set local {name} to default" for name in tuned))
        return rows


def _set(driver: Any, text: str) -> None:
    if text:
        with connection.wrap_database_errors:
            RawCursor(driver).execute(text)


@lru_cache(maxsize=64)
def _scope_text(tuned: tuple[tuple[str, str | int], ...]) -> str:
    calls = [*_settings(dict(tuned)), "set_config('antecedent.tenant_id', $1, true)"]
    return f"select {', '.join(calls)}"


def settings_text(wanted: Settings, *, local: bool = True) -> str:
    """The statement that makes settings, until the end of the transaction or of the session. Names and values are ours."""
    return f"select {', '.join(_settings(wanted, local=local))}"


def _settings(wanted: Settings, *, local: bool = True) -> list[str]:
    return [f"set_config('{name}', '{value}', {local})" for name, value in wanted.items()]


@cache
def named(app: str, name: str) -> str:
    """The text of `<app>/sql/<name>.sql`."""
    return resources.files(app).joinpath("sql", f"{name}.sql").read_text("utf-8")


def with_parts(text: str, parts: Mapping[str, str]) -> str:
    """`text` with each line `--+name` replaced by that part, indented likewise."""

    def part(found: re.Match[str]) -> str:
        indent = found[1]
        lines = (line for line in parts[found[2]].splitlines() if line.strip())
        return "\n".join(f"{indent}{line}" for line in lines)

    return _PART.sub(part, text)


def array_literal(values: Sequence[UUID | int | float]) -> str:
    """An array that has no type of its own, so that a statement keeps its plan whatever the values are."""
    return f"{{{','.join(map(str, values))}}}"
