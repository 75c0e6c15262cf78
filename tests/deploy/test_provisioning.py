"""The superuser makes a role that cannot pass the wall, and the database that belongs to it."""

from __future__ import annotations

import psycopg
import pytest

from config import environment
from tenants.postgres.provisioning import Wanted, provision


@pytest.fixture
def wanted(stack):
    yield Wanted("library", "open-'sesame'", "library_data")
    with psycopg.connect(stack.superuser_database_url, autocommit=True) as connection:
        connection.execute("drop database if exists library_data with (force)")
        connection.execute("drop role if exists library")


def test_it_can_be_run_again(stack, wanted):
    for _ in range(2):
        done = list(provision(superuser_url=stack.superuser_database_url, wanted=wanted))
        assert len(done) == 3
    host = psycopg.conninfo.conninfo_to_dict(stack.superuser_database_url)
    own = {**host, "user": wanted.role, "password": wanted.password, "dbname": wanted.database}
    with psycopg.connect(**own) as connection:
        role = connection.execute(
            "select rolsuper or rolbypassrls or rolcreaterole or rolcreatedb from pg_roles where rolname = current_user"
        ).fetchone()
        assert role == (False,)
        assert connection.execute("select '[1]'::vector").fetchone()
        connection.execute("create table shelf (id int)")


def test_the_application_may_not_be_the_superuser(stack):
    with pytest.raises(ValueError, match="role of its own"):
        list(
            provision(
                superuser_url=stack.superuser_database_url, wanted=Wanted("postgres", "x", "library_data")
            )
        )


@pytest.mark.parametrize("url", ["", "postgresql://library@host/data", "postgresql://library:x@host/"])
def test_a_url_without_role_password_or_database_is_refused(url):
    with pytest.raises(ValueError, match="DATABASE_URL"):
        Wanted.of(url)


def test_a_setting_is_read_from_the_file_that_is_named_unless_it_is_set_itself(monkeypatch, tmp_path):
    (tmp_path / "secret").write_text("from the file\n")
    monkeypatch.setenv("LIBRARY_URL_FILE", str(tmp_path / "secret"))
    assert environment.text("LIBRARY_URL", "default") == "from the file"
    monkeypatch.setenv("LIBRARY_URL", "itself")
    assert environment.text("LIBRARY_URL") == "itself"
