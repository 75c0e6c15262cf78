"""Each statement that Django sends is a piece of the work around it: what it does and to which table, never its values."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver

from kernel.traced import Kind, span

SYSTEM = {"db.system.name": "postgresql"}
_VERB = re.compile(r"\s*([a-z]{2,16})\b", re.I)
# Quoted as Django quotes: a bare word behind "from" may stand in a text.
_TABLE = re.compile(r'\b(?:from|into|update)\s+"(\w+)"', re.I)


@receiver(connection_created)
def watch(connection: BaseDatabaseWrapper, **_: Any) -> None:
    if traced not in connection.execute_wrappers:
        connection.execute_wrappers.append(traced)


def traced(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
    name, attributes = told(sql) if isinstance(sql, str) else ("statement", SYSTEM)
    with span(name, Kind.CALLED, attributes):
        return execute(sql, params, many, context)


@lru_cache(maxsize=1024)
def told(sql: str) -> tuple[str, dict[str, str]]:
    """(`SELECT tenants_user`, attributes) of a statement's text."""
    verb, table = _VERB.match(sql), _TABLE.search(sql)
    operation = verb[1].upper() if verb else "STATEMENT"
    found = {**SYSTEM, "db.operation.name": operation}
    return (
        (f"{operation} {table[1]}", {**found, "db.collection.name": table[1]})
        if table
        else (operation, found)
    )
