import socket
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest

from embedded.ports import LOOPBACK


def test_the_application_role_owns_its_database_and_nothing_more(postgres, query):
    server = postgres()
    rights = "SELECT (rolsuper, rolbypassrls, rolcreaterole, rolreplication, rolcreatedb)::text FROM pg_roles"
    assert query(server.dsn, f"{rights} WHERE rolname = current_user") == "(f,f,f,f,t)"
    owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()"
    assert query(server.dsn, owner) == "antecedent"
    assert query(server.superuser_dsn, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user")


def test_vectors_work_in_the_database_and_in_those_the_application_creates(postgres, query):
    server = postgres()
    nearest = "SELECT ('[1,2]'::halfvec(2) <-> '[1,4]')::int"
    assert query(server.dsn, nearest) == 2
    query(server.dsn, "CREATE DATABASE test_antecedent")
    assert query(server.dsn.removesuffix("antecedent") + "test_antecedent", nearest) == 2


def test_it_is_version_18_durable_and_tuned(postgres, query):
    dsn = postgres().dsn
    shown = {
        name: query(dsn, f"SHOW {name}") for name in ("fsync", "jit", "shared_buffers", "max_connections")
    }
    assert shown == {"fsync": "on", "jit": "off", "shared_buffers": "256MB", "max_connections": "200"}
    assert query(dsn, "SHOW server_version_num").startswith("18")


def test_words_end_at_dashes_and_quotation_marks_of_any_script(postgres, query):
    words = "SELECT tsvector_to_array(to_tsvector('english', '“Dublin”—Zürich…東京。café'))"
    assert set(query(postgres().dsn, words)) == {"dublin", "zürich", "東京", "café"}


def test_nobody_gets_in_without_a_password(postgres, query):
    for dsn in (server := postgres()).dsn, server.superuser_dsn:
        password = urlsplit(dsn).password or ""
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            query(dsn.replace(password, "guess"), "SELECT 1")


def test_secrets_are_readable_by_their_owner_only(postgres, state):
    server = postgres()
    assert (state / "postgres.json").stat().st_mode & 0o077 == 0
    assert server.data_dir.parent.stat().st_mode & 0o077 == 0


def test_a_second_start_finds_the_same_address_and_the_data(postgres, query):
    first = postgres()
    query(first.dsn, "CREATE TABLE kept AS SELECT 42 AS answer")
    first.stop()
    assert not first.is_ready()
    second = postgres()
    assert second.dsn == first.dsn
    assert query(second.dsn, "SELECT answer FROM kept") == 42


@pytest.mark.parametrize("state_of_the_first", ["killed", "running"])
def test_a_second_start_takes_over_the_data_directory(postgres, query, state_of_the_first):
    first = postgres()
    query(first.dsn, "CREATE TABLE kept AS SELECT 42 AS answer")
    before = psutil.Process(first.pid)
    family = [before, *before.children()]
    if state_of_the_first == "killed":
        before.kill()
    second = postgres()
    assert query(second.dsn, "SELECT answer FROM kept") == 42
    assert second.pid != before.pid
    assert not [process for process in family if is_alive(process)]


def test_a_lock_file_that_names_a_stranger_does_not_keep_it_from_starting(postgres, query):
    first = postgres()
    first.stop()
    stranger = psutil.Process().pid
    first.cluster.lock_file.write_text(f"{stranger}\n{first.data_dir}\n1\n1\n\n\n\nready\n")
    assert not first.is_ready()
    assert query(postgres().dsn, "SELECT 1") == 1
    assert psutil.pid_exists(stranger)


def test_it_moves_when_another_server_sits_on_its_port(postgres, query):
    first = postgres()
    first.stop()
    with socket.socket() as other:
        other.bind((LOOPBACK, first.identity.port))
        other.listen()
        second = postgres()
    assert second.identity.port != first.identity.port
    assert query(second.dsn, "SELECT 1") == 1


def test_a_lost_password_file_does_not_lose_the_data(postgres, query, state):
    first = postgres()
    query(first.dsn, "CREATE TABLE kept AS SELECT 42 AS answer")
    first.stop()
    (state / "postgres.json").unlink()
    assert query(postgres().dsn, "SELECT answer FROM kept") == 42


def is_alive(process):
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
