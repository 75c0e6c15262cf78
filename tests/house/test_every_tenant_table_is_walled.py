"""The wall is complete: a new tenant table without all of its locks fails here."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection

from tenants.models import Tenant, TenantModel

pytestmark = pytest.mark.django_db

MODELS = [m for m in apps.get_models() if any(f.name == "tenant" for f in m._meta.local_fields)]
TABLES = sorted({m._meta.db_table for m in MODELS})


def query(sql: str, *params: object) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


def test_it_finds_the_tenant_tables():
    assert {m._meta.db_table for m in apps.get_models() if issubclass(m, TenantModel)} <= set(TABLES)
    assert len(TABLES) > 10


@pytest.mark.parametrize("table", TABLES)
def test_it_forces_row_level_security(table):
    assert query("select relrowsecurity, relforcerowsecurity from pg_class where relname = %s", table) == [
        (True, True)
    ]


@pytest.mark.parametrize("table", TABLES)
def test_its_policy_compares_the_tenant_for_reading_and_writing(table):
    rows = query(
        "select qual, with_check, cmd, permissive from pg_policies where tablename = %s and policyname = 'tenant_wall'",
        table,
    )
    assert len(rows) == 1
    reading, writing, command, _ = rows[0]
    assert "antecedent.tenant_id" in reading and "antecedent.tenant_id" in (writing or "")
    assert command == "ALL"


def test_only_own_memberships_may_be_read_besides():
    extra = query("select tablename, cmd from pg_policies where policyname <> 'tenant_wall'")
    assert extra == [("tenants_membership", "SELECT")]


def test_every_partition_is_walled_too():
    """Row-level security of a parent does not bind who names the partition."""
    partitions = query(
        "select c.relname, c.relrowsecurity, c.relforcerowsecurity from pg_class c join pg_inherits i"
        " on i.inhrelid = c.oid where c.relkind = 'r'"
    )
    assert partitions
    assert [row for row in partitions if row[1:] != (True, True)] == []


@pytest.mark.parametrize(
    ("model", "field"),
    [
        (model, field)
        for model in MODELS
        for field in model._meta.local_fields
        if field.is_relation and field.related_model in MODELS and field.related_model is not Tenant
    ],
    ids=lambda value: getattr(value, "__name__", getattr(value, "name", "")),
)
def test_it_refers_to_tenant_tables_by_tenant_and_id(model, field):
    found = query(
        """
        select array_agg(a.attname::text order by k.n)
        from pg_constraint c
        cross join lateral unnest(c.conkey) with ordinality k (attnum, n)
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum
        where c.contype = 'f' and c.conrelid = %s::regclass and c.confrelid = %s::regclass
        group by c.oid
        """,
        model._meta.db_table,
        field.related_model._meta.db_table,
    )
    assert (["tenant_id", field.column],) in found


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_every_unique_constraint_includes_the_tenant(model):
    rows = query(
        """
        select i.relname, array_agg(a.attname::text)
        from pg_index x join pg_class i on i.oid = x.indexrelid
        join pg_attribute a on a.attrelid = x.indrelid and a.attnum = any(x.indkey)
        where x.indrelid = %s::regclass and x.indisunique and not x.indisprimary
        group by i.relname
        """,
        model._meta.db_table,
    )
    one_to_one = {f.column for f in model._meta.local_fields if f.one_to_one}
    loose = [name for name, columns in rows if "tenant_id" not in columns and not set(columns) <= one_to_one]
    assert loose == []
