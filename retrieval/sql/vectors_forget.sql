-- Remove vectors of a corpus in spaces that it is neither searched in nor changing to, some documents at a time.
with next_documents as materialized (
    select d.id
    from retrieval_document d
    where d.tenant_id = %(tenant_id)s and d.corpus_id = %(corpus_id)s and d.id > %(after)s
    order by d.id
    limit %(limit)s
),
held as materialized (
    select d.id
    from retrieval_document d
    where d.tenant_id = %(tenant_id)s and d.id in (select n.id from next_documents n) and d.lease_token is null
    order by d.id
    for no key update skip locked
),
removed as (
    delete from retrieval_chunkembedding v
    using held h
    where v.tenant_id = %(tenant_id)s
      and v.document_id = h.id
      and v.space_id <> all (%(kept)s::uuid[])
    returning 1
)
select (select n.id from next_documents n order by n.id desc limit 1), (select count(*) from removed)
