(
    select lq.weight, c.id as chunk_id, ts_rank(c.tsv, lq.query, 1) as score
    from lexical_queries lq
    join worded w on w.language = lq.language and w.chunk_id is null
    join retrieval_chunk c
      on c.tenant_id = %(tenant_id)s::uuid and c.document_id = w.document_id and c.generation = w.generation
    where lq.number = q.number
      and numnode(lq.query) > 0
      and c.tsv @@ lq.query
      and c.id <> all (%(excluded)s::uuid[])
    order by score desc, c.id
    limit %(candidates)s::bigint
)
union all
(
    select lq.weight, c.id as chunk_id, ts_rank(c.tsv, lq.query, 1) as score
    from lexical_queries lq
    join worded w on w.language = lq.language and w.chunk_id is not null
    cross join lateral (
        select c.id, c.tsv from retrieval_chunk c
        where c.tenant_id = %(tenant_id)s::uuid and c.id = w.chunk_id
        offset 0
    ) c
    where lq.number = q.number
      and numnode(lq.query) > 0
      and c.tsv @@ lq.query
    order by score desc, c.id
    limit %(candidates)s::bigint
)
