-- The floor of a benchmark: exact ranking of the vectors of documents that are known already.
select v.chunk_id
from unnest($2::uuid[]) as d (id)
join retrieval_chunkembedding v
  on v.tenant_id = current_setting('antecedent.tenant_id')::uuid and v.document_id = d.id and v.space_id = $1::uuid
 and v.home in ('00000000-0000-0000-0000-000000000000', $1::uuid)
order by v.embedding <=> $3::halfvec, v.chunk_id
limit $4::bigint
