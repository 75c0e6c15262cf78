"""The schema can be distributed by tenant: deploy/citus is run on it, with Citus' two functions replaced by a record."""

from __future__ import annotations

import pytest
from django.db import connection

from tests.deploy.manifests import DEPLOY

pytestmark = pytest.mark.django_db

TENANT = """
    select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
"""
STAND_INS = """
    create temporary table placed (n serial, name text, kind text, with_table text);
    create function create_reference_table(name text) returns void language sql
        as $$ insert into placed (name, kind) values (name, 'copied') $$;
    create function create_distributed_table(name text, by text, colocate_with text) returns void language sql
        as $$ insert into placed (name, kind, with_table) values (name, by, colocate_with) $$;
"""


def run(name: str) -> None:
    """Inside the test's own transaction, which is rolled back."""
    text = (DEPLOY / "citus" / name).read_text().replace("begin;", "", 1).removesuffix("commit;\n")
    execute(text.replace("on commit drop", ""))
    execute("drop table if exists tenant_tables, loose, copied")


def execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def rows(sql: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


@pytest.fixture
def keyed(db):
    run("1_keys.sql")


def test_every_unique_key_then_holds_the_tenant(keyed):
    loose = rows(f"""
        select i.indexrelid::regclass::text from pg_index i where i.indisunique and i.indrelid in ({TENANT})
            and not exists (select from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any (i.indkey)
                and a.attname = 'tenant_id')
    """)
    assert loose == []


def test_every_reference_between_tenant_tables_then_holds_the_tenant(keyed):
    loose = rows(f"""
        select k.conname from pg_constraint k where k.contype = 'f' and k.conrelid in ({TENANT})
            and k.confrelid in ({TENANT}) and not exists (select from pg_attribute a where a.attrelid = k.conrelid
                and a.attnum = any (k.conkey) and a.attname = 'tenant_id')
    """)
    assert loose == []


def test_no_shared_table_refers_to_a_tenants(db):
    assert (
        rows(f"""
        select conname from pg_constraint
        where contype = 'f' and confrelid in ({TENANT}) and conrelid not in ({TENANT}) and conparentid = 0
        """)
        == []
    )


def test_every_table_of_tenants_is_distributed_after_what_it_refers_to(keyed):
    execute(STAND_INS)
    run("2_distribute.sql")
    placed = {name: (n, kind) for n, name, kind in rows("select n, name, kind from placed")}
    tenant = {name for (name,) in rows(f"select oid::regclass::text from pg_class where oid in ({TENANT})")}
    assert {name for name, (_, kind) in placed.items() if kind == "tenant_id"} == tenant
    assert "tenants_tenant" in placed and placed["tenants_tenant"][1] == "copied"
    for owner, referred in rows(
        "select conrelid::regclass::text, confrelid::regclass::text from pg_constraint"
        " where contype = 'f' and conrelid <> confrelid and conparentid = 0"
    ):
        if owner in placed:
            assert placed[referred][0] < placed[owner][0], (owner, referred)


def test_all_shards_lie_together(keyed):
    execute(STAND_INS)
    run("2_distribute.sql")
    first, *others = [w for (w,) in rows("select with_table from placed where kind = 'tenant_id' order by n")]
    names = rows("select name from placed where kind = 'tenant_id' order by n")
    assert first == "none" and set(others) == {names[0][0]}
