-- Move the vectors of some documents, in the order of their ids, from one home to another.
-- Whoever replaces or deletes a document holds its row, and so does this: neither trips over the other. What is
-- being indexed at the moment is left for the next round.
with next_documents as materialized (
    select d.id, d.lease_token
    from retrieval_document d
    where d.tenant_id = %(tenant_id)s and d.id > %(after)s
    order by d.id
    limit %(limit)s
),
held as materialized (
    select d.id
    from retrieval_document d
    where d.tenant_id = %(tenant_id)s
      and d.id in (select s.id from next_documents s where s.lease_token is null)
    order by d.id
    for no key update skip locked
),
moved as (
    update retrieval_chunkembedding v
    set home = %(target)s
    from held h
    where v.tenant_id = %(tenant_id)s
      and v.document_id = h.id
      and v.space_id = %(space_id)s
      and v.home = %(source)s
    returning 1
)
select (select s.id from next_documents s order by s.id desc limit 1), (select count(*) from moved)
