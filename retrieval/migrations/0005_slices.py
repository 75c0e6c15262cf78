"""Long documents are indexed in slices: what the try in progress found, and how many slices it took."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0004_wall")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="found",
            field=models.JSONField(
                blank=True,
                default=dict,
                editable=False,
                help_text=(
                    "What the try in progress read: its passages are stored under its number, its vectors follow."
                ),
            ),
        ),
        migrations.AddField(
            model_name="document",
            name="slices",
            field=models.PositiveIntegerField(
                default=0,
                editable=False,
                help_text="How often it has given its place in the queue to others.",
            ),
        ),
    ]
