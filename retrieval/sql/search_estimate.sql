-- About how many passages are permitted, and how many there are: ids are random, so documents below a sixteenth of all ids are a sample.
with
--+granted
select 16 * coalesce(sum(d.chunk_count) filter (
           where (
                   %(sees_all)s::boolean
                   or (not d.restricted and d.corpus_id in (select g.id from granted_corpora g))
                   or d.id in (select g.id from granted_documents g)
               )
             and (cardinality(%(corpus_ids)s::uuid[]) = 0 or d.corpus_id = any(%(corpus_ids)s::uuid[]))
             {filters}
       ), 0) as permitted,
       16 * coalesce(sum(d.chunk_count), 0) as total
from retrieval_document d
where d.tenant_id = %(tenant_id)s::uuid
  and d.id < '10000000-0000-0000-0000-000000000000'
  and d.generation > 0
