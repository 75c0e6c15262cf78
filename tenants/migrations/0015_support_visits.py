"""Platform staff may be let in as a member for a while, with a reason that the workspace reads."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0014_usage_flush")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="until",
            field=models.DateTimeField(
                blank=True, null=True, help_text="When a support visit ends; empty for members."
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="reason",
            field=models.CharField(
                blank=True, default="", db_default="", max_length=300, help_text="Why support came in."
            ),
        ),
    ]
