from urllib.parse import urlsplit

import psycopg
import pytest

from embedded.postgres import Postgres
from embedded.stack import cache_dir, throwaway_state


@pytest.fixture(scope="module")
def settled():
    """One server for all tests that only look."""
    with throwaway_state() as state:
        server = Postgres(state, cache_dir=cache_dir(state))
        server.start()
        yield server
        server.stop()


def test_the_application_role_owns_its_database_and_nothing_more(settled, query):
    rights = "SELECT (rolsuper, rolbypassrls, rolcreaterole, rolreplication, rolcreatedb)::text FROM pg_roles"
    assert query(settled.dsn, f"{rights} WHERE rolname = current_user") == "(f,f,f,f,t)"
    owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()"
    assert query(settled.dsn, owner) == "antecedent"
    assert query(settled.superuser_dsn, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user")


def test_vectors_work_in_the_database_and_in_those_the_application_creates(settled, query):
    nearest = "SELECT ('[1,2]'::halfvec(2) <-> '[1,4]')::int"
    assert query(settled.dsn, nearest) == 2
    query(settled.dsn, "CREATE DATABASE test_antecedent")
    assert query(settled.dsn.removesuffix("antecedent") + "test_antecedent", nearest) == 2


def test_it_is_version_18_durable_and_tuned(settled, query):
    dsn = settled.dsn
    shown = {
        name: query(dsn, f"SHOW {name}") for name in ("fsync", "jit", "shared_buffers", "max_connections")
    }
    assert shown == {"fsync": "on", "jit": "off", "shared_buffers": "256MB", "max_connections": "200"}
    assert query(dsn, "SHOW server_version_num").startswith("18")


def test_words_end_at_dashes_and_quotation_marks_of_any_script(settled, query):
    words = "SELECT tsvector_to_array(to_tsvector('english', '“Dublin”—Zürich…東京。café'))"
    assert set(query(settled.dsn, words)) == {"dublin", "zürich", "東京", "café"}


def test_nobody_gets_in_without_a_password(settled, query):
    for dsn in settled.dsn, settled.superuser_dsn:
        password = urlsplit(dsn).password or ""
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            query(dsn.replace(password, "guess"), "SELECT 1")


def test_secrets_are_readable_by_their_owner_only(settled):
    assert (settled.state_dir / "postgres.json").stat().st_mode & 0o077 == 0
    assert settled.data_dir.parent.stat().st_mode & 0o077 == 0
