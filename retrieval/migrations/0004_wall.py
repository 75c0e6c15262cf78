"""Row-level security and composite references on every table of retrieval."""

from django.db import migrations

MINE = "tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid"
KEYED = (
    "retrieval_embeddingspace",
    "retrieval_corpus",
    "retrieval_document",
    "retrieval_chunk",
    "retrieval_corpususerpermission",
    "retrieval_corpusgrouppermission",
    "retrieval_documentuserpermission",
    "retrieval_documentgrouppermission",
)
# A partition named directly is not bound by its parent's policies, so each has its own.
PARTITIONED = ("retrieval_chunkembedding", "retrieval_chunkembedding_default")
REFERENCES = (
    ("retrieval_corpus", "space_id", "retrieval_embeddingspace", "no action"),
    ("retrieval_document", "corpus_id", "retrieval_corpus", "cascade"),
    ("retrieval_chunk", "document_id", "retrieval_document", "cascade"),
    ("retrieval_chunkembedding", "space_id", "retrieval_embeddingspace", "cascade"),
    ("retrieval_chunkembedding", "document_id", "retrieval_document", "cascade"),
    ("retrieval_chunkembedding", "chunk_id", "retrieval_chunk", "cascade"),
    ("retrieval_corpususerpermission", "content_object_id", "retrieval_corpus", "cascade"),
    ("retrieval_corpusgrouppermission", "content_object_id", "retrieval_corpus", "cascade"),
    ("retrieval_documentuserpermission", "content_object_id", "retrieval_document", "cascade"),
    ("retrieval_documentgrouppermission", "content_object_id", "retrieval_document", "cascade"),
)


def key(table):
    return migrations.RunSQL(
        f"alter table {table} add constraint {table}_tenant_key unique (tenant_id, id)",
        f"alter table {table} drop constraint {table}_tenant_key",
    )


def wall(table):
    return migrations.RunSQL(
        f"""
        alter table {table} enable row level security;
        alter table {table} force row level security;
        create policy tenant_wall on {table} using ({MINE}) with check ({MINE});
        """,
        f"""
        drop policy tenant_wall on {table};
        alter table {table} no force row level security;
        alter table {table} disable row level security;
        """,
    )


def reference(table, column, target, on_delete):
    name = f"{table}_{column}_same_tenant"
    return migrations.RunSQL(
        f"alter table {table} add constraint {name} foreign key (tenant_id, {column})"
        f" references {target} (tenant_id, id) on delete {on_delete} deferrable initially deferred",
        f"alter table {table} drop constraint {name}",
    )


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0003_embeddings")]

    operations = [
        *(key(table) for table in KEYED),
        *(reference(*row) for row in REFERENCES),
        *(wall(table) for table in (*KEYED, *PARTITIONED)),
    ]
