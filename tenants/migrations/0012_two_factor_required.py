"""A tenant may ask its members for a second factor."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0011_policies_are_versions")]

    operations = [
        migrations.AddField(
            model_name="tenant",
            name="two_factor_required",
            field=models.BooleanField(
                default=False, help_text="Must members have a second factor before anything else?"
            ),
        ),
    ]
