"""Behind PgBouncer, with the configuration that is deployed, conversations go on and the wall stands.

A PgBouncer older than 1.21 is told of no prepared statements, and the product to prepare none, as the file asks.
"""

from __future__ import annotations

import os
import pwd
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings
from django.db import connection, connections

from embedded import ports
from embedded.stack import throwaway_state
from tenants.scoping import tenant_scope
from tests.browser.conftest import eventually
from tests.deploy.manifests import DEPLOY
from tests.deploy.tools import tool, version_of
from tests.integration.conversations.conftest import answered, asker, library  # noqa: F401

PREPARING = (1, 21)


@pytest.fixture
def pooled(transactional_db, monkeypatch):
    """Every connection of this process goes through a PgBouncer that has a single one of PostgreSQL to give."""
    program = tool("pgbouncer", "Debian's package pgbouncer")
    prepares = version_of(program) >= PREPARING
    direct = dict(connection.settings_dict)
    with throwaway_state() as folder:
        port = ports.next_free(16432)
        configured(folder, direct, port, prepares)
        command = [program, folder / "pgbouncer.ini"]
        if os.geteuid() == 0:
            command[1:1] = ["-u", pwd.getpwnam("nobody").pw_name]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        through = {"HOST": "127.0.0.1", "PORT": str(port), "NAME": "antecedent"}
        try:
            eventually(lambda: listens(port) or process.poll() is not None)
            assert process.poll() is None
            redirected(through)
            monkeypatch.setitem(settings.ANTECEDENT, "PREPARE", prepares)
            yield
        finally:
            redirected({name: direct[name] for name in through})
            process.terminate()
            process.wait(10)


def configured(folder, direct, port, prepares):
    """What is deployed, but for addresses and for how many connections there are."""
    lines = []
    for line in (DEPLOY / "pgbouncer/pgbouncer.ini").read_text().splitlines():
        name = line.partition("=")[0].strip()
        instead = {
            "antecedent": f"antecedent = host={direct['HOST']} port={direct['PORT']} dbname={direct['NAME']}",
            "listen_addr": "listen_addr = 127.0.0.1",
            "listen_port": f"listen_port = {port}",
            "auth_file": f"auth_file = {folder}/users",
            "default_pool_size": "default_pool_size = 1",
            "reserve_pool_size": "reserve_pool_size = 0",
        }.get(name, line)
        lines += [instead] if prepares or name != "max_prepared_statements" else []
    (folder / "pgbouncer.ini").write_text("\n".join(lines))
    (folder / "users").write_text(f'"{direct["USER"]}" "{direct["PASSWORD"]}"\n')


def redirected(where):
    connections.close_all()
    connections.settings["default"].update(where)
    connection.settings_dict.update(where)


def listens(port):
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


def test_a_conversation_goes_on_through_it(pooled, asker):  # noqa: F811
    first = answered(asker, "What is the RPO in Frankfurt?")
    second = answered(asker, "and in Dublin?", first.session_id)
    assert (first.state, second.state) == ("completed", "completed")
    assert "15 minutes" in second.answer and second.rewritten


def tenants_seen():
    """By a statement that names no tenant: only the wall stands between."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("select distinct tenant_id from tenants_audience")
            return {found for (found,) in cursor.fetchall()}
    finally:
        connections.close_all()


def seen_by(owner):
    if owner is None:
        return tenants_seen()
    with tenant_scope(owner.pk):
        return tenants_seen()


def test_one_connection_carries_nothing_from_a_tenant_to_the_next(pooled, tenant, rival):
    """All of them share it: what one left behind, the next one would meet."""
    asked = [tenant, rival, None] * 20
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(seen_by, asked))
    assert found == [{owner.pk} if owner else set() for owner in asked]
