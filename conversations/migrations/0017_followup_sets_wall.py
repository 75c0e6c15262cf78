"""Row-level security and composite references on follow-up sets, their items, runs, results and gates."""

from django.db import migrations

MINE = "tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid"
SET, ITEM = "conversations_followupset", "conversations_followupitem"
RUN, RESULT = "conversations_evaluationrun", "conversations_evaluationresult"
GATES = "conversations_evaluationgates"
REFERENCES = (
    (ITEM, "of_set_id", SET, "cascade"),
    (ITEM, "origin_id", "conversations_turn", "cascade"),
    (RUN, "of_set_id", SET, "cascade"),
    (RESULT, "run_id", RUN, "cascade"),
    (RESULT, "item_id", ITEM, "cascade"),
    (GATES, "of_set_id", SET, "no action"),
)


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


def reference(of, column, target, on_delete):
    return (
        f"alter table {of} add constraint {of}_{column}_same_tenant foreign key (tenant_id, {column})"
        f" references {target} (tenant_id, id) on delete {on_delete} deferrable initially deferred"
    )


def no_reference(of, column):
    return f"alter table {of} drop constraint {of}_{column}_same_tenant"


class Migration(migrations.Migration):
    dependencies = [("conversations", "0016_followup_sets")]

    operations = [
        *(migrations.RunSQL(wall(table), no_wall(table)) for table in (SET, ITEM, RUN, RESULT, GATES)),
        *(migrations.RunSQL(reference(*told), no_reference(*told[:2])) for told in REFERENCES),
    ]
