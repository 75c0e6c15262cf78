"""What this application keeps of an end user and of a tenant, and the last step of a tenant's erasure.

The last step goes by the database itself: every table with a tenant's column is emptied of its rows, whether anybody
thought of it or not, and the tenant's own row goes with them in one transaction.
"""

from __future__ import annotations

from uuid import UUID

from django.apps import apps
from django.contrib.auth.models import Group
from django.db import connection, transaction

from tenants.adapters import archives, fair_line, shared_memory
from tenants.models import (
    AuditEntry,
    DataExport,
    EndUser,
    EndUserAudience,
    Tenant,
)
from tenants.scoping import current_tenant_id
from tenants.services.audit import audit_erase
from tenants.services.erasing import Eraser, Record
from tenants.services.exports import exports_forget
from tenants.standing import Ground, standing_changed


def eraser() -> Eraser:
    return Eraser("tenants", end_user_remove, tenant_files_remove)


def end_user_remove(end_user_id: UUID, record: Record) -> None:
    """The person, their audiences, their archives, and the visitors that their devices were before they signed in."""
    for person_id in (*adopted_by(end_user_id), end_user_id):
        person = EndUser.objects.filter(pk=person_id).first()
        if person is None:
            continue
        archived = exports_forget(subject=person.subject)
        with transaction.atomic():
            audiences = EndUserAudience.objects.filter(end_user=person).delete()[0]
            person.delete()
            standing_changed(Ground.END_USER, person_id)
            record({"archives": archived, "audience memberships": audiences, "people": 1})


def adopted_by(end_user_id: UUID) -> list[UUID]:
    """Visitors whose conversations became this person's when they signed in, as the audit log knows."""
    entries = AuditEntry.objects.filter(action="sessions.adopted", target=str(end_user_id))
    visitors = dict.fromkeys(entries.values_list("data__visitor", flat=True))
    return [UUID(visitor) for visitor in visitors if visitor and visitor != str(end_user_id)]


def tenant_files_remove(record: Record) -> None:
    """Archives, rows and files."""
    tenant_id = current_tenant_id()
    with transaction.atomic():
        record({"archives": DataExport.objects.all().delete()[0]})
    archives.remove_all(tenant_id)


def remove_last(record: Record) -> None:
    """All rows that are left, the tenant itself, and what Valkey holds of it. Safe when run again at any point."""
    tenant_id = current_tenant_id()
    with transaction.atomic():
        if Tenant.objects.filter(pk=tenant_id).exists():
            record({"audit entries": AuditEntry.objects.count()})
            audit_erase()
            record(_rows_removed())
            record({"groups": Group.objects.filter(name__startswith=f"{tenant_id}/").delete()[0]})
            _remove_tenant(tenant_id)
    shared_memory.forget_tenant(tenant_id)
    fair_line.forget_tenant(tenant_id)
    archives.remove_all(tenant_id)


def tenant_tables() -> list[str]:
    """Every table whose rows belong to tenants."""
    models = (m for m in apps.get_models() if any(f.name == "tenant" for f in m._meta.local_fields))
    return sorted({m._meta.db_table for m in models})


def _rows_removed() -> dict[str, int]:
    """Counted first: what hangs on a row goes with it. Row-level security keeps it to this tenant's rows."""
    counts = {}
    with connection.cursor() as cursor:
        for table in tenant_tables():
            cursor.execute(f"select count(*) from {table} where tenant_id = %s", [current_tenant_id()])  # noqa: S608
            counts[f"rows of {table}"] = int(cursor.fetchone()[0])
        for table in tenant_tables():
            cursor.execute(f"delete from {table} where tenant_id = %s", [current_tenant_id()])  # noqa: S608
    return counts


def _remove_tenant(tenant_id: UUID) -> None:
    """By SQL: Django would look for rows to take along in every table, and there are none left."""
    with connection.cursor() as cursor:
        cursor.execute("delete from tenants_tenant where id = %s", [tenant_id])
