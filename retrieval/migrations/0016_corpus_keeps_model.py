"""A corpus whose embedding model somebody has chosen is not moved to another one by itself."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0015_document_notes")]

    operations = [
        migrations.AddField(
            model_name="corpus",
            name="keeps_model",
            field=models.BooleanField(
                default=False, help_text="Not moved to another embedding model by itself."
            ),
        ),
    ]
