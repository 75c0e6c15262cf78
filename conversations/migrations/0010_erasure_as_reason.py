"""Conversations also go when a person or a workspace is erased."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("conversations", "0009_leakage_audit_wall")]

    operations = [
        migrations.AlterField(
            model_name="deletionreceipt",
            name="reason",
            field=models.CharField(
                choices=[
                    ("end_user", "Deleted by the person"),
                    ("session_end", "The conversation ended"),
                    ("age", "Older than the tenant keeps conversations"),
                    ("erasure", "Erased with the person or the workspace"),
                ],
                max_length=12,
            ),
        ),
    ]
