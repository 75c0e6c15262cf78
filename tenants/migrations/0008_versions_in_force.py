"""The versions that sessions run under are found at once: every turn asks for them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0007_identities")]

    operations = [
        migrations.AddIndex(
            model_name="version",
            index=models.Index(
                fields=["tenant"],
                condition=models.Q(("state__in", ["published", "staged"])),
                name="version_in_force",
            ),
        ),
    ]
