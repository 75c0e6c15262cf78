"""The tables: no scope, the wrong scope, raw SQL, the role the platform serves as, references between tenants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import DatabaseError, IntegrityError, connection, models, transaction

from conversations.audits.isolation.ground import Ground
from conversations.audits.isolation.trials import Leaked, nothing, refused, trial
from tenants.errors import NoTenantScope
from tenants.models import EndUserAudience
from tenants.scoping import no_scope, tenant_scope

_TABLES = """
select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and not a.attisdropped
order by c.relname
"""
_OPEN = """
select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and not a.attisdropped
  and not (c.relrowsecurity and c.relforcerowsecurity
           and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant_wall'))
"""
_PAIRS = """
select c.conrelid::regclass::text from pg_constraint c
where c.contype = 'f' and c.connamespace = current_schema()::regnamespace
group by c.conrelid, c.confrelid
having bool_or(exists (select from pg_attribute a where a.attrelid = c.conrelid and a.attname = 'tenant_id'))
   and bool_or(exists (select from pg_attribute a where a.attrelid = c.confrelid and a.attname = 'tenant_id'))
   and not bool_or(cardinality(c.conkey) > 1)
"""


def tenant_models() -> list[type[models.Model]]:
    return [model for model in apps.get_models() if any(f.name == "tenant" for f in model._meta.local_fields)]


def rows(query: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, values or None)
        return list(cursor.fetchall())


def tenant_tables() -> list[str]:
    """Every table and partition with a tenant, also one that no model knows."""
    return [name for (name,) in rows(_TABLES)]


@trial("no scope: every model refuses")
def _models_without_scope(ground: Ground) -> str:
    with no_scope():
        for model in tenant_models():
            refused(model._default_manager.count, NoTenantScope)
            refused(model._default_manager.first, NoTenantScope)
    return f"{len(tenant_models())} models refused to be read"


@trial("no scope: raw SQL finds nothing")
def _tables_without_scope(ground: Ground) -> str:
    with no_scope():
        nothing([table for table in tenant_tables() if _count(table)], "tables with rows to read")
    return f"0 rows in {len(tenant_tables())} tables and partitions"


@trial("right scope: the owner reads its own rows")
def _own_rows(ground: Ground) -> str:
    with tenant_scope(ground.owner.tenant.id):
        counts = [count for table in tenant_tables() if (count := _count(table))]
    if sum(counts) < 10:
        raise Leaked(f"only {sum(counts)} rows were there to be protected: the other checks prove nothing")
    return f"{sum(counts)} rows in {len(counts)} tables"


@trial("wrong scope: models find nothing of the other tenant")
def _models_in_the_wrong_scope(ground: Ground) -> str:
    owner = ground.owner.tenant.id
    with tenant_scope(ground.rival.tenant.id):
        for model in tenant_models():
            for manager in (model._base_manager, model._default_manager):
                nothing(manager.filter(tenant_id=owner)[:1], f"rows of another tenant in {model.__name__}")
    return f"{len(tenant_models())} models, two managers each"


@trial("wrong scope: raw SQL reads, changes and deletes nothing of the other tenant")
def _tables_in_the_wrong_scope(ground: Ground) -> str:
    tables = tenant_tables()
    with tenant_scope(ground.rival.tenant.id):
        touched = {table: _touched(table, ground.owner.tenant.id) for table in tables}
    nothing([table for table, count in touched.items() if count], "tables with rows reached")
    return f"select, update and delete on {len(tables)} tables and partitions reached 0 rows"


@trial("wrong scope: no row can be written for another tenant")
def _writing_for_another(ground: Ground) -> str:
    statement = (
        "insert into tenants_enduser (id, tenant_id, subject, kind, name, created_at)"
        " values (gen_random_uuid(), %s, 'forged', 'anonymous', '', now())"
    )
    with tenant_scope(ground.rival.tenant.id):
        return refused(lambda: _undone(statement, ground.owner.tenant.id), DatabaseError)


@trial("the serving role is bound by row-level security")
def _role(ground: Ground) -> str:
    [(role, superuser, bypasses)] = rows(
        "select rolname, rolsuper, rolbypassrls from pg_roles where rolname = current_user"
    )
    if superuser or bypasses:
        raise Leaked(f"{role} is a superuser or bypasses row-level security")
    return f"{role}: no superuser, no bypass"


@trial("every tenant table has its wall, forced")
def _walls(ground: Ground) -> str:
    nothing([name for (name,) in rows(_OPEN)], "tables without a forced wall")
    return f"{len(tenant_tables())} tables and partitions"


@trial("no reference leads into another tenant")
def _references(ground: Ground) -> str:
    nothing([name for (name,) in rows(_PAIRS)], "tables that refer to another by its id alone")
    with tenant_scope(ground.rival.tenant.id):
        link = EndUserAudience(end_user=ground.rival.insider, audience=ground.owner.audience)
        return refused(lambda: _saved(link), IntegrityError)


def _count(table: str) -> int:
    return int(rows(f"select count(*) from {_quoted(table)}")[0][0])  # noqa: S608 (a table's own name)


def _touched(table: str, tenant_id: UUID) -> int:
    name, where = _quoted(table), "where tenant_id = %s"
    read = int(rows(f"select count(*) from {name} {where}", tenant_id)[0][0])  # noqa: S608
    changed = _undone(f"update {name} set tenant_id = tenant_id {where}", tenant_id)  # noqa: S608
    return read + changed + _undone(f"delete from {name} {where}", tenant_id)  # noqa: S608


def _quoted(table: str) -> str:
    return connection.ops.quote_name(table)


def _undone(statement: str, *values: Any) -> int:
    """Rows that the statement would have touched."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, values)
        transaction.set_rollback(True)
        return int(cursor.rowcount)


def _saved(row: models.Model) -> Sequence[Any]:
    """Written and checked as at the end of a transaction, then taken back."""
    with transaction.atomic(), connection.cursor() as cursor:
        row.save()
        cursor.execute("set constraints all immediate")
        transaction.set_rollback(True)
    return [row]
