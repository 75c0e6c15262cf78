"""The table of vectors, partitioned by tenant. Small tenants share the default partition."""

import django.db.models.deletion
import pgvector.django
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0002_tables")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="ChunkEmbedding",
                    fields=[
                        (
                            "pk",
                            models.CompositePrimaryKey(
                                "tenant_id",
                                "space_id",
                                "chunk_id",
                                blank=True,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("generation", models.PositiveIntegerField()),
                        ("embedding", pgvector.django.HalfVectorField()),
                        (
                            "chunk",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.DO_NOTHING,
                                related_name="+",
                                to="retrieval.chunk",
                            ),
                        ),
                        (
                            "tenant",
                            models.ForeignKey(
                                editable=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="tenants.tenant",
                            ),
                        ),
                        (
                            "document",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.DO_NOTHING,
                                related_name="+",
                                to="retrieval.document",
                            ),
                        ),
                        (
                            "space",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.DO_NOTHING,
                                related_name="+",
                                to="retrieval.embeddingspace",
                            ),
                        ),
                    ],
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    # No dimensions in the type: spaces differ. "main" keeps a vector of up to about 4,000
                    # dimensions in its row, where an exact scan reads it without a second look-up.
                    # The primary key is also the index of the exact scan: tenant, then space.
                    """
                    create table retrieval_chunkembedding (
                        tenant_id uuid not null
                            references tenants_tenant on delete cascade deferrable initially deferred,
                        space_id uuid not null,
                        chunk_id uuid not null,
                        document_id uuid not null,
                        generation integer not null check (generation > 0),
                        embedding halfvec storage main not null,
                        primary key (tenant_id, space_id, chunk_id)
                    ) partition by list (tenant_id);
                    create table retrieval_chunkembedding_default
                        partition of retrieval_chunkembedding default;
                    create index retrieval_chunkembedding_document
                        on retrieval_chunkembedding (tenant_id, document_id);
                    create index retrieval_chunkembedding_chunk
                        on retrieval_chunkembedding (tenant_id, chunk_id);
                    """,
                    "drop table retrieval_chunkembedding",
                ),
            ],
        ),
    ]
