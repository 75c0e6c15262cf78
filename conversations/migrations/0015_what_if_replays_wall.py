"""Row-level security and composite references on what-if replays and their differences."""

from django.db import migrations

MINE = "tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid"
TABLES = ("conversations_whatifreplay", "conversations_whatifdifference")
REFERENCES = (
    ("replay_id", "conversations_whatifreplay"),
    ("turn_id", "conversations_turn"),
)
OF = "conversations_whatifdifference"


def wall(table):
    return f"""
        alter table {table} add constraint {table}_tenant_key unique (tenant_id, id);
        alter table {table} enable row level security;
        alter table {table} force row level security;
        create policy tenant_wall on {table} using ({MINE}) with check ({MINE});
    """


def no_wall(table):
    return f"""
        drop policy tenant_wall on {table};
        alter table {table} no force row level security;
        alter table {table} disable row level security;
        alter table {table} drop constraint {table}_tenant_key;
    """


def reference(column, target):
    return (
        f"alter table {OF} add constraint {OF}_{column}_same_tenant foreign key (tenant_id, {column})"
        f" references {target} (tenant_id, id) on delete cascade deferrable initially deferred"
    )


def no_reference(column):
    return f"alter table {OF} drop constraint {OF}_{column}_same_tenant"


class Migration(migrations.Migration):
    dependencies = [("conversations", "0014_what_if_replays")]

    operations = [
        *(migrations.RunSQL(wall(table), no_wall(table)) for table in TABLES),
        *(migrations.RunSQL(reference(*pair), no_reference(pair[0])) for pair in REFERENCES),
    ]
