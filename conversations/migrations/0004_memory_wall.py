"""Row-level security and composite references on the memory tables, and of a message on the one it was joined to."""

from django.db import migrations

MINE = "tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid"
TABLES = (
    "conversations_archivedexchange",
    "conversations_summarypart",
    "conversations_ledgerfact",
    "conversations_deletionreceipt",
)
REFERENCES = (
    ("conversations_archivedexchange", "session_id", "conversations_session"),
    ("conversations_archivedexchange", "turn_id", "conversations_turn"),
    ("conversations_summarypart", "session_id", "conversations_session"),
    ("conversations_ledgerfact", "session_id", "conversations_session"),
    ("conversations_turn", "joined_to_id", "conversations_turn"),
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
    dependencies = [("conversations", "0003_memory_tables")]

    operations = [*(wall(table) for table in TABLES), *(reference(*row) for row in REFERENCES)]
