"""Row-level security and composite references on every conversation table."""

from django.db import migrations

MINE = "tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid"
TABLES = (
    "conversations_session",
    "conversations_sessionstate",
    "conversations_turn",
    "conversations_turntrace",
)
REFERENCES = (
    ("conversations_session", "end_user_id", "tenants_enduser"),
    ("conversations_sessionstate", "session_id", "conversations_session"),
    ("conversations_turn", "session_id", "conversations_session"),
    ("conversations_turntrace", "turn_id", "conversations_turn"),
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
    dependencies = [("conversations", "0001_tables"), ("tenants", "0002_wall")]

    operations = [*(wall(table) for table in TABLES), *(reference(*row) for row in REFERENCES)]
