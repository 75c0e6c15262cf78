select d.id as document_id, c.generation, c.id as chunk_id, coalesce(nullif(d.language, ''), d.spoken) as language
from (select distinct n.chunk_id from nearest n {condition}) n
cross join lateral (
    select c.id, c.document_id, c.generation
    from retrieval_chunk c
    where c.tenant_id = %(tenant_id)s::uuid and c.id = n.chunk_id
    offset 0
) c
cross join lateral (
    select d.id, d.language, k.language as spoken
    from retrieval_document d
    join corpora k on k.id = d.corpus_id
    where d.tenant_id = %(tenant_id)s::uuid and d.id = c.document_id
    offset 0
) d
