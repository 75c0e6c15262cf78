"""What only a superuser can do, once: the application's role and database, and the extension.

Everything else the application does as that role, which can neither pass row-level security nor make itself able to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit, urlunsplit

import psycopg
from psycopg import sql

_ORDINARY = sql.SQL("nosuperuser nobypassrls nocreaterole nocreatedb noreplication login")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The application's role, its password and its database."""

    role: str
    password: str
    database: str

    @classmethod
    def of(cls, database_url: str) -> Wanted:
        """Raises ValueError for a URL that lacks one of the three."""
        parts = urlsplit(database_url)
        found = cls(
            unquote(parts.username or ""), unquote(parts.password or ""), unquote(parts.path.lstrip("/"))
        )
        if not (found.role and found.password and found.database):
            raise ValueError("DATABASE_URL has to name a role, its password and a database.")
        return found


def provision(*, superuser_url: str, wanted: Wanted) -> Iterator[str]:
    """Make or correct the role, the database and the extension; yields what was done. Running it again is harmless.

    Raises ValueError when the role and the superuser are the same, and psycopg's errors as they come.
    """
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        if connection.info.user == wanted.role:
            raise ValueError(f"{wanted.role} is the superuser: the application needs a role of its own.")
        yield _role(connection, wanted)
        yield _database(connection, wanted)
    with psycopg.connect(_in_database(superuser_url, wanted.database), autocommit=True) as connection:
        connection.execute("create extension if not exists vector")
        connection.execute(
            sql.SQL("grant usage, create on schema public to {}").format(sql.Identifier(wanted.role))
        )
        version = connection.execute(
            "select extversion from pg_extension where extname = 'vector'"
        ).fetchone()
        yield f"extension vector {version[0] if version else ''}"


def _role(connection: psycopg.Connection, wanted: Wanted) -> str:
    name = sql.Identifier(wanted.role)
    known = (
        connection.execute("select from pg_roles where rolname = %s", [wanted.role]).fetchone() is not None
    )
    if not known:
        connection.execute(sql.SQL("create role {}").format(name))
    # Scrambled here: the password itself is in no statement, and so in no log.
    scrambled = connection.pgconn.encrypt_password(
        wanted.password.encode(), wanted.role.encode(), b"scram-sha-256"
    ).decode()
    connection.execute(
        sql.SQL("alter role {} {} password {}").format(name, _ORDINARY, sql.Literal(scrambled))
    )
    return f"role {wanted.role} {'kept' if known else 'made'}: no superuser, bound by row-level security"


def _database(connection: psycopg.Connection, wanted: Wanted) -> str:
    if (
        connection.execute("select from pg_database where datname = %s", [wanted.database]).fetchone()
        is not None
    ):
        return f"database {wanted.database} kept"
    connection.execute(
        sql.SQL("create database {} owner {}").format(
            sql.Identifier(wanted.database), sql.Identifier(wanted.role)
        )
    )
    return f"database {wanted.database} made"


def _in_database(url: str, database: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, f"/{database}", parts.query, ""))
