"""What a test with real transactions leaves is gone before the next, whoever may not see or delete it."""

from __future__ import annotations

import psycopg
import pytest
from django.db import connection

from tenants.models import AuditEntry, User
from tenants.scoping import tenant_scope
from tests.conftest import TransactionTestCase
from tests.emptying import LASTING, Emptier
from tests.integration.conversations.conftest import library  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)


def filled(superuser: psycopg.Connection) -> set[str]:
    tables = connection.introspection.table_names()
    return {
        name for name in tables if superuser.execute(f"select exists (select from {name})").fetchone()[0]
    } - set(LASTING)


@pytest.fixture
def superuser(stack):
    name = connection.settings_dict["NAME"]
    with psycopg.connect(stack.superuser_database_url, dbname=name, autocommit=True) as opened:
        yield opened


def test_rows_behind_the_wall_vectors_and_what_is_only_appended_are_gone(library, rival, superuser):  # noqa: F811
    User.objects.create_user("ann@acme.example")
    with tenant_scope(rival.id):
        assert AuditEntry.objects.exists()
    assert {"tenants_auditentry", "retrieval_chunkembedding", "tenants_tenant", "tenants_user"} <= filled(
        superuser
    )
    TransactionTestCase._fixture_teardown(None)
    assert filled(superuser) == set()
    assert User.objects.create_user("bob@acme.example").pk == 1


def test_a_connection_that_was_ended_is_opened_again(rival, superuser):
    empty = Emptier()
    empty.url = superuser.info.dsn + f" password={superuser.info.password}"
    empty()
    mine = empty._open.info.backend_pid
    superuser.execute("select pg_terminate_backend(%s, 5000)", [mine])
    empty()
    assert filled(superuser) == set() and empty._open.info.backend_pid != mine
    empty.close()
