-- The passages of a generation in order, from one on: what is to be embedded next.
select c.id, c.ordinal, c.text, c.span_start, c.span_end, c.heading_path, c.page, c.token_count
from retrieval_chunk c
where c.tenant_id = %(tenant_id)s
  and c.document_id = %(document_id)s
  and c.generation = %(generation)s
  and c.ordinal >= %(first)s
order by c.ordinal
limit %(limit)s
