"""Row-level security and composite references on the tables of the leakage audit."""

from django.db import migrations

MINE = "tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid"
TABLES = ("conversations_canary", "conversations_finding", "conversations_leakagecheckday")
REFERENCES = (
    ("conversations_canary", "session_id", "conversations_session"),
    ("conversations_finding", "session_id", "conversations_session"),
)


def wall(table):
    return migrations.RunSQL(
        f"""
        alter table {table} add constraint {table}_tenant_key unique (tenant_id, id);
        alter table {table} enable row level security;
        alter table {table} force row level security;
        create policy tenant_wall on {table} using ({MINE}) with check ({MINE});
        """,
        f"""
        drop policy tenant_wall on {table};
        alter table {table} no force row level security;
        alter table {table} disable row level security;
        alter table {table} drop constraint {table}_tenant_key;
        """,
    )


def reference(table, column, target):
    name = f"{table}_{column}_same_tenant"
    return migrations.RunSQL(
        f"alter table {table} add constraint {name} foreign key (tenant_id, {column})"
        f" references {target} (tenant_id, id) on delete cascade deferrable initially deferred",
        f"alter table {table} drop constraint {name}",
    )


class Migration(migrations.Migration):
    dependencies = [("conversations", "0008_leakage_audit")]

    operations = [*(wall(table) for table in TABLES), *(reference(*row) for row in REFERENCES)]
