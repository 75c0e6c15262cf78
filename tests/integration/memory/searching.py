"""Where a text still is: every row of every table, and every key of Valkey with all it holds."""

from __future__ import annotations

from typing import Any

import psycopg
import valkey
from django.conf import settings
from django.db import connection
from psycopg import sql

from embedded.stack import Endpoints


def tables_with(text: str, stack: Endpoints) -> set[str]:
    """Tables of any schema in which a row holds the text, seen by a superuser whom row-level security does not bind."""
    name = connection.settings_dict["NAME"]
    with psycopg.connect(stack.superuser_database_url, dbname=name, autocommit=True) as database:
        ours = database.execute(
            "select table_schema, table_name from information_schema.tables where table_type = 'BASE TABLE'"
            " and table_schema not in ('pg_catalog', 'information_schema')"
        ).fetchall()
        assert len(ours) > 30
        return {table for schema, table in ours if _holds(database, schema, table, text)}


def _holds(database: psycopg.Connection[Any], schema: str, table: str, text: str) -> bool:
    query = sql.SQL("select exists (select from {} row where row::text ilike %s)")
    found = database.execute(query.format(sql.Identifier(schema, table)), [f"%{text}%"]).fetchone()
    return bool(found and found[0])


def keys_with(text: str) -> set[str]:
    """Keys of any database of Valkey whose name or content holds the text."""
    found = set()
    with valkey.Valkey.from_url(settings.VALKEY_URL, decode_responses=True) as server:
        databases = [int(name.removeprefix("db")) for name in server.info("keyspace")]
    for number in databases:
        with valkey.Valkey.from_url(settings.VALKEY_URL, db=number, decode_responses=True) as server:
            kept = {key: _content(server, key) for key in server.scan_iter(count=1000)}
        found |= {key for key, content in kept.items() if text.lower() in f"{key} {content}".lower()}
    return found


def _content(server: Any, key: str) -> Any:
    match server.type(key):
        case "string":
            return server.get(key)
        case "hash":
            return server.hgetall(key)
        case "list":
            return server.lrange(key, 0, -1)
        case "set":
            return server.smembers(key)
        case "zset":
            return server.zrange(key, 0, -1, withscores=True)
        case "stream":
            return server.xrange(key)
        case "none":
            return None
        case other:
            raise AssertionError(f"no way to read a {other}")
