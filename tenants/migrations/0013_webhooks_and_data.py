"""What webhooks, archives and erasures need besides: old secrets, leases, receipts that outlive what was erased."""

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
    dependencies = [("tenants", "0012_two_factor_required")]

    operations = [
        migrations.AddField(
            model_name="webhook",
            name="previous_secret",
            field=models.TextField(blank=True, default=""),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="webhook",
            name="previous_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="webhook",
            name="disabled_reason",
            field=models.CharField(
                blank=True, default="", help_text="Why the platform stopped telling it.", max_length=300
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="webhookdelivery",
            name="milliseconds",
            field=models.PositiveIntegerField(
                blank=True, help_text="How long the last attempt took.", null=True
            ),
        ),
        migrations.AddField(
            model_name="dataexport",
            name="manifest",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name="dataexport",
            name="failures",
            field=models.PositiveSmallIntegerField(default=0, help_text="Tries that broke off."),
        ),
        migrations.AddField(
            model_name="dataexport",
            name="lease_token",
            field=models.UUIDField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="dataexport",
            name="lease_until",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.CreateModel(
            name="Erasure",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("running", "Running"), ("done", "Done")],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("progress", models.FloatField(default=0.0, help_text="From 0 to 1.")),
                ("counts", models.JSONField(default=dict, help_text="What was deleted, by kind.")),
                ("actor", models.CharField(help_text="user, key, staff, system or end_user.", max_length=20)),
                ("actor_id", models.CharField(blank=True, max_length=64)),
                ("lease_token", models.UUIDField(blank=True, editable=False, null=True)),
                ("lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("end_user_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("subject", models.CharField(blank=True, editable=False, max_length=200)),
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
                "ordering": ["-created_at"],
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("end_user_id", None), _negated=True),
                        fields=("tenant", "end_user_id"),
                        name="erasure_once_per_end_user",
                    )
                ],
            },
        ),
        wall("tenants_erasure"),
        migrations.CreateModel(
            name="TenantErasure",
            fields=[
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("running", "Running"), ("done", "Done")],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("progress", models.FloatField(default=0.0, help_text="From 0 to 1.")),
                ("counts", models.JSONField(default=dict, help_text="What was deleted, by kind.")),
                ("actor", models.CharField(help_text="user, key, staff, system or end_user.", max_length=20)),
                ("actor_id", models.CharField(blank=True, max_length=64)),
                ("lease_token", models.UUIDField(blank=True, editable=False, null=True)),
                ("lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("erased_tenant_id", models.UUIDField(unique=True)),
                ("slug", models.CharField(max_length=40)),
            ],
            options={"ordering": ["-created_at"], "abstract": False},
        ),
    ]
