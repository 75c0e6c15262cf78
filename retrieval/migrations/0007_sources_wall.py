"""The wall around imports of sites, and what a document may point at."""

from django.db import migrations

MINE = "tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid"
TABLE = "retrieval_siteimport"


def reference(table, column, target, on_delete):
    name = f"{table}_{column}_same_tenant"
    return migrations.RunSQL(
        f"alter table {table} add constraint {name} foreign key (tenant_id, {column})"
        f" references {target} (tenant_id, id) on delete {on_delete} deferrable initially deferred",
        f"alter table {table} drop constraint {name}",
    )


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0006_sources")]

    operations = [
        migrations.RunSQL(
            f"alter table {TABLE} add constraint {TABLE}_tenant_key unique (tenant_id, id)",
            f"alter table {TABLE} drop constraint {TABLE}_tenant_key",
        ),
        reference(TABLE, "corpus_id", "retrieval_corpus", "cascade"),
        reference("retrieval_document", "site_import_id", TABLE, "set null (site_import_id)"),
        migrations.RunSQL(
            f"""
            alter table {TABLE} enable row level security;
            alter table {TABLE} force row level security;
            create policy tenant_wall on {TABLE} using ({MINE}) with check ({MINE});
            """,
            f"""
            drop policy tenant_wall on {TABLE};
            alter table {TABLE} no force row level security;
            alter table {TABLE} disable row level security;
            """,
        ),
    ]
