"""Notices of findings, outside the tenants' wall: to be counted over all and mailed once. They go with their workspace."""

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
                ("mailed_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.RunSQL(
            "alter table conversations_findingnotice add constraint conversations_findingnotice_of_workspace"
            " foreign key (workspace) references tenants_tenant (id)"
            " on delete cascade deferrable initially deferred",
            "alter table conversations_findingnotice drop constraint conversations_findingnotice_of_workspace",
        ),
    ]
