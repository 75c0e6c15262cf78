-- How many passages of a generation have a vector already: batches are written in order and as a whole.
select count(*)
from retrieval_chunkembedding v
where v.tenant_id = %(tenant_id)s
  and v.space_id = %(space_id)s
  and v.document_id = %(document_id)s
  and v.generation = %(generation)s
