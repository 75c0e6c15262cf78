"""The language that a document's words are indexed in, where it is not the one of its corpus."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0011_placement")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="language",
            field=models.CharField(blank=True, default="", help_text="Empty: the corpus's.", max_length=63),
        ),
    ]
