"""What a search needs to know of every document of a corpus, in an index alone."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0012_document_language")]

    operations = [
        migrations.RunSQL(
            "create index document_visibility on retrieval_document (tenant_id, corpus_id)"
            " include (id, generation, chunk_count, restricted, language)",
            "drop index document_visibility",
        ),
    ]
