"""Vectors live in homes: a shared one for small tenants, or one of a large tenant's space with its own index.

The partition key becomes a column that an update can change, so that a tenant's vectors move between partitions a
few documents at a time, every reader seeing each vector exactly once. There is no default partition on purpose:
attaching another one would have to read all of it under a lock that stops everybody's searches.
"""

import uuid

from django.db import migrations, models

MINE = "tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid"
SHARED = "00000000-0000-0000-0000-000000000000"
COLUMNS = "tenant_id, space_id, chunk_id, document_id, generation, embedding"
REFERENCES = (
    ("space_id", "retrieval_embeddingspace"),
    ("document_id", "retrieval_document"),
    ("chunk_id", "retrieval_chunk"),
)

WALL = """
    alter table {table} enable row level security;
    alter table {table} force row level security;
    create policy tenant_wall on {table} using ({mine}) with check ({mine});
"""


def references():
    return "\n".join(
        f"alter table retrieval_chunkembedding add constraint retrieval_chunkembedding_{column}_same_tenant"
        f" foreign key (tenant_id, {column}) references {target} (tenant_id, id) on delete cascade"
        " deferrable initially deferred;"
        for column, target in REFERENCES
    )


def table(key, partition_by, first, indexes):
    return f"""
    alter table retrieval_chunkembedding rename to retrieval_chunkembedding_before;
    create table retrieval_chunkembedding (
        tenant_id uuid not null references tenants_tenant on delete cascade deferrable initially deferred,
        {key},
        chunk_id uuid not null,
        document_id uuid not null,
        generation integer not null check (generation > 0),
        embedding halfvec storage main not null
    ) partition by list ({partition_by});
    {first};
    {references()}
    {WALL.format(table="retrieval_chunkembedding", mine=MINE)}
    -- Vectors made before come along: the wall has to be down for it, inside this transaction only.
    alter table retrieval_chunkembedding_before no force row level security;
    alter table retrieval_chunkembedding no force row level security;
    insert into retrieval_chunkembedding ({COLUMNS}) select {COLUMNS} from retrieval_chunkembedding_before;
    set constraints all immediate;
    alter table retrieval_chunkembedding force row level security;
    drop table retrieval_chunkembedding_before;
    {indexes}
    """  # noqa: S608 -- constants of this file


FORWARDS = table(
    key=f"space_id uuid not null, home uuid not null default '{SHARED}'",
    partition_by="home",
    first=f"""
        create table retrieval_chunkembedding_shared
            partition of retrieval_chunkembedding for values in ('{SHARED}');
        {WALL.format(table="retrieval_chunkembedding_shared", mine=MINE)}
    """,
    indexes="""
    alter table retrieval_chunkembedding add primary key (tenant_id, chunk_id, space_id, home);
    -- The exact search goes through the permitted documents; a document's vectors lie next to each other.
    create index retrieval_chunkembedding_document
        on retrieval_chunkembedding (tenant_id, document_id, space_id, generation);
    create index retrieval_chunkembedding_space on retrieval_chunkembedding (tenant_id, space_id);
    """,
)
BACKWARDS = table(
    key="space_id uuid not null",
    partition_by="tenant_id",
    first=f"""
        alter table if exists retrieval_chunkembedding_default rename to retrieval_chunkembedding_default_before;
        create table retrieval_chunkembedding_default partition of retrieval_chunkembedding default;
        {WALL.format(table="retrieval_chunkembedding_default", mine=MINE)}
    """,
    indexes="""
    alter table retrieval_chunkembedding add primary key (tenant_id, space_id, chunk_id);
    create index retrieval_chunkembedding_document on retrieval_chunkembedding (tenant_id, document_id);
    create index retrieval_chunkembedding_chunk on retrieval_chunkembedding (tenant_id, chunk_id);
    """,
)


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0007_sources_wall")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField(
                    model_name="chunkembedding",
                    name="home",
                    field=models.UUIDField(default=uuid.UUID(int=0), editable=False),
                ),
            ],
            database_operations=[migrations.RunSQL(FORWARDS, BACKWARDS)],
        ),
    ]
