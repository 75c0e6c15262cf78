"""PostgreSQL and Valkey on a disk that is full: what they acknowledged stays, and they serve again when there is room.

Each lies on a small file system in memory, which stands for its volume.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import psycopg
import pytest
import valkey as client
from django.db import OperationalError

from config.celery import app
from embedded.errors import ServerFailed
from embedded.postgres import Postgres
from embedded.stack import cache_dir
from kernel.database import database_is_away
from kernel.disk import disk_is_full
from tests.browser.conftest import eventually

ROW = "insert into kept select repeat(md5(random()::text), 200) from generate_series(1, 100)"


class Volume:
    """A folder with so much room. `fill` leaves none, `free` gives it back."""

    def __init__(self, folder: Path) -> None:
        self._filler = folder / "filler"

    def fill(self) -> None:
        room = os.statvfs(self._filler.parent)
        with self._filler.open("ab") as file:
            os.posix_fallocate(file.fileno(), file.tell(), room.f_bavail * room.f_frsize)

    def free(self) -> None:
        self._filler.unlink()


@pytest.fixture
def volume(state):
    """Lays a file system of so many megabytes over a folder of the state directory; it takes root to make one."""
    mounted = []

    def lay(name, megabytes):
        folder = state / name
        folder.mkdir(exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder]
        if subprocess.run(command, capture_output=True).returncode:
            pytest.skip("a file system of its own needs root")
        mounted.append(folder)
        return Volume(folder)

    yield lay
    for folder in reversed(mounted):
        subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def log_volume(volume, state):
    """PostgreSQL's write-ahead log, apart from its data as `initdb --waldir` puts it."""
    made = volume("write-ahead", 64)
    server = Postgres(state, cache_dir=cache_dir(state))
    server.prepare()
    subprocess.run(["mv", server.data_dir / "pg_wal", state / "write-ahead"], check=True)
    (server.data_dir / "pg_wal").symlink_to(state / "write-ahead" / "pg_wal")
    if server.cluster.user:
        os.chown(state / "write-ahead", server.cluster.user.uid, server.cluster.user.gid)
    return made


def raised(server, *statements):
    """The error that one of the statements met, as Django passes it on."""
    with (
        pytest.raises(psycopg.Error) as caught,
        psycopg.connect(server.superuser_dsn, autocommit=True) as connection,
    ):
        for statement in statements:
            connection.execute(statement)
    error = OperationalError(str(caught.value))
    error.__cause__ = caught.value
    return error


def test_a_full_disk_of_data_refuses_what_does_not_fit_and_forgets_nothing(volume, postgres, query):
    disk = volume("postgres", 128)
    server = postgres()
    query(server.superuser_dsn, "create table kept (text text)", ROW)
    before = query(server.superuser_dsn, "select count(*) from kept")
    disk.fill()
    error = raised(server, *[ROW] * 40)
    assert disk_is_full(error) and not database_is_away(error, (OperationalError,))
    held = query(server.superuser_dsn, "select count(*) from kept")
    disk.free()
    assert held >= before and held % 100 == 0
    assert query(server.superuser_dsn, ROW, "select count(*) from kept") == held + 100


def test_a_full_disk_of_its_log_stops_the_server_and_loses_nothing(log_volume, postgres, query):
    server = postgres()
    query(server.superuser_dsn, "create table kept (text text)", ROW)
    log_volume.fill()
    switch = "select pg_logical_emit_message(false, 'x', 'x'), pg_switch_wal()"
    assert disk_is_full(raised(server, *[switch] * 20))
    assert database_is_away(raised(server, "select 1"), (OperationalError,))
    with pytest.raises((ServerFailed, psycopg.OperationalError)):
        query(postgres().superuser_dsn, *[switch] * 20)
    log_volume.free()
    again = postgres()
    assert query(again.superuser_dsn, ROW, "select count(*) from kept") == 200


def test_a_full_disk_of_valkey_refuses_to_write_still_reads_and_forgets_nothing(volume, valkey):
    disk = volume("valkey", 4)
    server = valkey()
    with client.from_url(server.url, decode_responses=True) as connection:
        connection.set("first", "1")
        eventually(lambda: connection.info("persistence")["aof_pending_bio_fsync"] == 0)
        disk.fill()
        with pytest.raises(client.ResponseError, match="MISCONF"):
            for number in range(4000):
                connection.set(f"filler-{number}", "x" * 4096)
        assert connection.get("first") == "1"
        with pytest.raises(client.ResponseError, match="MISCONF"):
            connection.ping()  # what /readyz asks
        disk.free()
        assert eventually(lambda: wrote(connection))
        connection.set("last", "1")
        eventually(lambda: connection.info("persistence")["aof_pending_bio_fsync"] == 0)
    server.stop()
    with client.from_url(valkey().url, decode_responses=True) as connection:
        assert connection.mget("first", "last") == ["1", "1"]


def wrote(connection):
    try:
        return connection.set("probe", "1")
    except client.ResponseError:
        return False


def test_a_worker_waits_for_a_queue_that_refuses_to_write_instead_of_ending():
    """Celery counts such a refusal as an error of the channel, and would end the worker by default."""
    assert app.conf.broker_channel_error_retry
    errors = app.connection_for_read().channel_errors
    assert "ResponseError" in {error.__name__ for error in errors}
