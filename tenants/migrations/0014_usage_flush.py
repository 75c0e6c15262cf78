"""Which batch of counters was written down last, so that none is added twice."""

import uuid

import django.db.models.deletion
from django.db import migrations, models

MINE = "tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid"


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


class Migration(migrations.Migration):
    dependencies = [("tenants", "0013_webhooks_and_data")]

    operations = [
        migrations.CreateModel(
            name="UsageFlush",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("number", models.BigIntegerField(default=0)),
                (
                    "tenant",
                    models.ForeignKey(
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant",), name="usage_flush_once_per_tenant")
                ],
            },
        ),
        wall("tenants_usageflush"),
    ]
