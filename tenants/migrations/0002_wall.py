"""Row-level security and composite references on every tenant table."""

from django.db import migrations

MINE = "tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid"
OWN = "user_id = nullif(current_setting('antecedent.user_id', true), '')::bigint"
TABLES = ("tenants_membership", "tenants_audience", "tenants_enduser", "tenants_enduseraudience")
REFERENCES = (
    ("tenants_enduseraudience", "end_user_id", "tenants_enduser"),
    ("tenants_enduseraudience", "audience_id", "tenants_audience"),
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
    dependencies = [("tenants", "0001_tables")]

    operations = [
        *(wall(table) for table in TABLES),
        *(reference(*row) for row in REFERENCES),
        # A signed-in user may read their own memberships of all tenants: the landing page lists them.
        migrations.RunSQL(
            f"create policy own_memberships on tenants_membership for select using ({OWN})",
            "drop policy own_memberships on tenants_membership",
        ),
    ]
