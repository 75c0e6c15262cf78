-- Published passages of a corpus that have no vector in a space, in the order of their documents.
select c.document_id, c.generation, c.id, c.ordinal, c.text, c.span_start, c.span_end, c.heading_path, c.page,
       c.token_count
from retrieval_document d
join retrieval_chunk c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.generation = d.generation
where d.tenant_id = %(tenant_id)s
  and d.corpus_id = %(corpus_id)s
  and d.generation > 0
  and d.id >= %(after)s
  and not exists (
      select from retrieval_chunkembedding v
      where v.tenant_id = %(tenant_id)s and v.chunk_id = c.id and v.space_id = %(space_id)s
  )
order by d.id, c.ordinal
limit %(limit)s
