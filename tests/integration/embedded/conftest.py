import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from embedded.postgres import Postgres
from embedded.stack import cache_dir, throwaway_state
from embedded.valkey import Valkey


@pytest.fixture
def state() -> Iterator[Path]:
    with throwaway_state() as folder:
        yield folder


@pytest.fixture
def postgres(state: Path) -> Iterator[Callable[[], Postgres]]:
    """Starts PostgreSQL on the test's state directory, each time through a new object."""
    made: list[Postgres] = []

    def start() -> Postgres:
        made.append(Postgres(state, cache_dir=cache_dir(state)))
        made[-1].start()
        return made[-1]

    yield start
    for each in reversed(made):
        each.stop()


@pytest.fixture
def valkey(state: Path) -> Iterator[Callable[[], Valkey]]:
    """Starts Valkey on the test's state directory, each time through a new object."""
    made: list[Valkey] = []

    def start() -> Valkey:
        made.append(Valkey(state))
        made[-1].start()
        return made[-1]

    yield start
    for each in reversed(made):
        each.stop()


@pytest.fixture
def query() -> Callable[..., Any]:
    """Runs statements in a connection of their own and returns the first value of the last one."""

    def run(dsn: str, *statements: str) -> Any:
        with psycopg.connect(dsn, autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            row = cursor.fetchone() if cursor.description else None
            return row[0] if row else None

    return run


@pytest.fixture
def python() -> Callable[[str], list[str]]:
    """The command line of a Python program that can import this project."""

    def command(source: str) -> list[str]:
        paths = [path for path in sys.path if path]
        return [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}\n{source}"]

    return command


@pytest.fixture
def as_nobody() -> Callable[[Callable[[], str]], str]:
    """Runs a function in a forked process as the user `nobody`; returns what it returned, or its error."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")

    def run(function: Callable[[], str]) -> str:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
                os.write(write, function().encode())
                status = 0
            except BaseException as error:
                os.write(write, f"{type(error).__name__}: {error}".encode())
            finally:
                os._exit(status)
        os.close(write)
        with os.fdopen(read, "rb") as output:
            said = output.read().decode()
        os.waitpid(child, 0)
        return said

    return run
