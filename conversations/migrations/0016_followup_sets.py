"""Follow-up sets of tenants, runs of them with a result an item, and their gates."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0015_what_if_replays_wall"),
        ("tenants", "0015_support_visits"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="FollowUpSet",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(max_length=80)),
                ("note", models.CharField(blank=True, max_length=300)),
                ("items_changed_at", models.DateTimeField(auto_now_add=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
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
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="FollowUpItem",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("key", models.CharField(max_length=80)),
                ("stratum", models.CharField(max_length=40)),
                ("prefix", models.JSONField(default=list)),
                ("follow_up", models.TextField()),
                ("gold", models.JSONField(default=list)),
                ("required", models.JSONField(default=list)),
                ("forbidden", models.JSONField(default=list)),
                ("more", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "origin",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="conversations.turn",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
                (
                    "of_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="conversations.followupset",
                    ),
                ),
            ],
            options={
                "ordering": ["of_set", "stratum", "key"],
            },
        ),
        migrations.CreateModel(
            name="EvaluationRun",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("strategies", models.JSONField()),
                ("policy_number", models.PositiveIntegerField()),
                ("policy", models.JSONField()),
                ("prompt_number", models.PositiveIntegerField()),
                ("prompt", models.JSONField()),
                ("audience", models.CharField(blank=True, max_length=80)),
                ("with_model", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("cancelled", "Cancelled"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=9,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("total", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("report", models.JSONField(default=dict)),
                ("failures", models.JSONField(default=list)),
                ("passed", models.BooleanField(null=True)),
                ("lease_token", models.UUIDField(editable=False, null=True)),
                ("lease_until", models.DateTimeField(editable=False, null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
                (
                    "of_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="conversations.followupset",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="EvaluationGates",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("required", models.BooleanField(default=False)),
                ("values", models.JSONField(default=dict, help_text="In the shape of `gates.toml`.")),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
                (
                    "of_set",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="conversations.followupset",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="EvaluationResult",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("strategy", models.CharField(max_length=20)),
                ("position", models.PositiveIntegerField()),
                ("stratum", models.CharField(max_length=40)),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("done", "Done"), ("failed", "Failed")],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("query", models.TextField(blank=True)),
                ("display", models.TextField(blank=True)),
                ("kind", models.CharField(blank=True, max_length=20)),
                ("verdict", models.CharField(blank=True, max_length=12)),
                ("rewritten", models.BooleanField(default=False)),
                ("hit", models.BooleanField(null=True)),
                ("contaminated", models.BooleanField(default=False)),
                ("score", models.JSONField(default=dict)),
                ("found", models.JSONField(default=list)),
                (
                    "tenant",
                    models.ForeignKey(
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="conversations.evaluationrun",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="conversations.followupitem",
                    ),
                ),
            ],
            options={
                "ordering": ["run", "position"],
                "indexes": [
                    models.Index(fields=["tenant", "run", "position"], name="evaluation_results_in_order"),
                    models.Index(fields=["tenant", "item"], name="evaluation_results_by_item"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "run", "strategy", "item"), name="evaluation_result_once"
                    )
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="followupset",
            constraint=models.UniqueConstraint(fields=("tenant", "name"), name="followup_set_name_once"),
        ),
        migrations.AddIndex(
            model_name="followupitem",
            index=models.Index(
                fields=["tenant", "of_set", "stratum", "key"], name="followup_items_by_stratum"
            ),
        ),
        migrations.AddIndex(
            model_name="followupitem",
            index=models.Index(fields=["tenant", "origin"], name="followup_items_by_origin"),
        ),
        migrations.AddConstraint(
            model_name="followupitem",
            constraint=models.UniqueConstraint(
                fields=("tenant", "of_set", "key"), name="followup_item_key_once"
            ),
        ),
        migrations.AddIndex(
            model_name="evaluationrun",
            index=models.Index(fields=["tenant", "-created_at"], name="evaluation_runs_by_time"),
        ),
        migrations.AddConstraint(
            model_name="evaluationgates",
            constraint=models.UniqueConstraint(fields=("tenant",), name="evaluation_gates_once"),
        ),
    ]
