-- Write the vectors of passages that were staged before.
insert into retrieval_chunkembedding (tenant_id, space_id, chunk_id, document_id, generation, embedding)
select %(tenant_id)s, %(space_id)s, r.id, %(document_id)s, %(generation)s, r.vector::halfvec
from unnest(%(ids)s::uuid[], %(vectors)s::text[]) as r (id, vector)
