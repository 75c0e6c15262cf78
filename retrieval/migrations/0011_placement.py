"""Where the vectors of a space live, and to which space a corpus is changing."""

import django.db.models.deletion
from django.db import migrations, models

NEXT = "retrieval_corpus_next_space_id_same_tenant"


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0010_homes")]

    operations = [
        migrations.AddField(
            model_name="embeddingspace",
            name="placement",
            field=models.CharField(
                choices=[
                    ("shared", "With other tenants, searched exactly"),
                    ("moving", "Moving to a partition of its own"),
                    ("own", "In a partition of its own, searched by index"),
                    ("returning", "Moving back to the shared partition"),
                ],
                default="shared",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="embeddingspace",
            name="search_width",
            field=models.PositiveIntegerField(blank=True, help_text="hnsw.ef_search.", null=True),
        ),
        migrations.AddField(
            model_name="embeddingspace",
            name="measured_recall",
            field=models.FloatField(blank=True, help_text="Recall@10 when it was indexed.", null=True),
        ),
        migrations.AddField(
            model_name="embeddingspace",
            name="placed_at",
            field=models.DateTimeField(blank=True, help_text="Last change of placement.", null=True),
        ),
        migrations.AddField(
            model_name="corpus",
            name="next_space",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="retrieval.embeddingspace",
            ),
        ),
        migrations.RunSQL(
            f"alter table retrieval_corpus add constraint {NEXT} foreign key (tenant_id, next_space_id)"
            " references retrieval_embeddingspace (tenant_id, id) on delete no action"
            " deferrable initially deferred",
            f"alter table retrieval_corpus drop constraint {NEXT}",
        ),
    ]
