"""How large a tenant was when its index was measured: one that has grown much since is measured again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0013_document_visibility")]

    operations = [
        migrations.AddField(
            model_name="embeddingspace",
            name="measured_passages",
            field=models.PositiveIntegerField(
                blank=True, help_text="Passages when it was measured.", null=True
            ),
        ),
        migrations.AlterField(
            model_name="embeddingspace",
            name="measured_recall",
            field=models.FloatField(blank=True, help_text="Recall@10 when it was measured.", null=True),
        ),
    ]
