-- Vectors of published passages in one more space. Passages that are gone by now are left out, and so is what
-- somebody else added first: the caller holds the rows of the documents.
with place as materialized (
    select s.id, case when s.placement in ('moving', 'own') then s.id else %(shared)s::uuid end as home
    from retrieval_embeddingspace s
    where s.tenant_id = %(tenant_id)s and s.id = %(space_id)s
    for share
)
insert into retrieval_chunkembedding (tenant_id, space_id, chunk_id, document_id, generation, home, embedding)
select %(tenant_id)s, p.id, c.id, c.document_id, c.generation, p.home, r.vector::halfvec
from unnest(%(ids)s::uuid[], %(vectors)s::text[]) as r (id, vector)
join retrieval_chunk c on c.tenant_id = %(tenant_id)s and c.id = r.id
cross join place p
where not exists (
    select from retrieval_chunkembedding v
    where v.tenant_id = %(tenant_id)s and v.chunk_id = c.id and v.space_id = p.id
)
