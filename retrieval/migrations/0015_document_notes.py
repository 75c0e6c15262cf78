"""What of a file could not be read, in sentences for whoever uploaded it."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0014_measured_passages")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="notes",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(),
                blank=True,
                default=list,
                help_text="What of the file could not be read.",
                size=None,
            ),
        ),
    ]
