-- Write the vectors of passages that were staged before, where the vectors of their space live now.
with place as materialized (
    -- Held until the end of the transaction: nobody takes the home away meanwhile.
    select s.id, case when s.placement in ('moving', 'own') then s.id else %(shared)s::uuid end as home
    from retrieval_embeddingspace s
    where s.tenant_id = %(tenant_id)s and s.id = %(space_id)s
    for share
)
insert into retrieval_chunkembedding (tenant_id, space_id, chunk_id, document_id, generation, home, embedding)
select %(tenant_id)s, p.id, r.id, %(document_id)s, %(generation)s, p.home, r.vector::halfvec
from unnest(%(ids)s::uuid[], %(vectors)s::text[]) as r (id, vector)
cross join place p
