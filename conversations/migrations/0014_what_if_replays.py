"""What-if replays: stored turns under a changed policy or prompt."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

ID = models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)
TENANT = {"editable": False, "on_delete": django.db.models.deletion.CASCADE, "related_name": "+"}


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0013_deleted_by_the_workspace"),
        ("tenants", "0015_support_visits"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="WhatIfReplay",
            fields=[
                ("id", ID),
                (
                    "kind",
                    models.CharField(choices=[("policy", "Policy"), ("prompt", "Prompt")], max_length=10),
                ),
                ("name", models.CharField(max_length=40)),
                ("before_number", models.PositiveIntegerField()),
                ("before", models.JSONField()),
                ("after_number", models.PositiveIntegerField(null=True)),
                ("after", models.JSONField()),
                ("selection", models.JSONField(help_text="Which turns (`what_if.Selection`).")),
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
                ("summary", models.JSONField(default=dict)),
                ("published_number", models.PositiveIntegerField(null=True)),
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
                ("tenant", models.ForeignKey(to="tenants.tenant", **TENANT)),
            ],
            options={"ordering": ["-created_at"]},
        ),
        migrations.CreateModel(
            name="WhatIfDifference",
            fields=[
                ("id", ID),
                ("position", models.PositiveIntegerField()),
                ("stratum", models.CharField(blank=True, max_length=20)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("same", "The same"),
                            ("changed", "Changed"),
                            ("failed", "Not comparable"),
                        ],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("rewrite", models.BooleanField(default=False)),
                ("verdict", models.BooleanField(default=False)),
                ("top_passage", models.BooleanField(default=False)),
                ("passages", models.BooleanField(default=False)),
                ("scope", models.BooleanField(default=False)),
                ("stored_differs", models.BooleanField(default=False)),
                ("verdict_before", models.CharField(blank=True, max_length=12)),
                ("verdict_after", models.CharField(blank=True, max_length=12)),
                ("before", models.JSONField(null=True)),
                ("after", models.JSONField(null=True)),
                (
                    "replay",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="conversations.whatifreplay",
                    ),
                ),
                ("tenant", models.ForeignKey(to="tenants.tenant", **TENANT)),
                (
                    "turn",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="conversations.turn",
                    ),
                ),
            ],
            options={"ordering": ["replay", "position"]},
        ),
        migrations.AddIndex(
            model_name="whatifreplay",
            index=models.Index(fields=["tenant", "-created_at"], name="what_if_by_time"),
        ),
        migrations.AddIndex(
            model_name="whatifdifference",
            index=models.Index(fields=["tenant", "replay", "position"], name="what_if_turns_in_order"),
        ),
        migrations.AddConstraint(
            model_name="whatifdifference",
            constraint=models.UniqueConstraint(
                fields=("tenant", "replay", "turn"), name="what_if_turn_once_a_replay"
            ),
        ),
    ]
