"""Notices of findings, outside the tenants' wall: to be counted over all and mailed once."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("conversations", "0017_followup_sets_wall")]

    operations = [
        migrations.CreateModel(
            name="FindingNotice",
            fields=[
                ("finding_id", models.UUIDField(primary_key=True, serialize=False)),
                ("workspace", models.UUIDField()),
                ("severity", models.CharField(max_length=8)),
                ("is_open", models.BooleanField(default=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("mailed_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["created_at"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_open", True)),
                        fields=["workspace"],
                        name="finding_notice_open",
                    ),
                    models.Index(
                        condition=models.Q(("mailed_at", None)),
                        fields=["created_at"],
                        name="finding_notice_unmailed",
                    ),
                ],
            },
        ),
    ]
