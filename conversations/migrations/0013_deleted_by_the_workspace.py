"""Conversations are also deleted by members and programs that manage the workspace's data."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("conversations", "0012_turn_judgements_wall")]

    operations = [
        migrations.AlterField(
            model_name="deletionreceipt",
            name="reason",
            field=models.CharField(
                choices=[
                    ("end_user", "Deleted by the person"),
                    ("workspace", "Deleted by the workspace"),
                    ("session_end", "The conversation ended"),
                    ("age", "Older than the tenant keeps conversations"),
                    ("erasure", "Erased with the person or the workspace"),
                ],
                max_length=12,
            ),
        ),
    ]
