-- What of a space with a partition of its own is in the shared one still, usually nothing.
select q.number, q.space_id, q.weight, e.chunk_id, e.distance
from vectors q
cross join lateral (
    select v.chunk_id, v.embedding <=> q.vector as distance
    from retrieval_chunkembedding_shared v
    where v.tenant_id = %(tenant_id)s::uuid and v.space_id = '{space_id}'
      and v.chunk_id <> all (%(excluded)s::uuid[])
      and {visible}
    order by distance, v.chunk_id
    limit %(near)s::bigint
) e
where q.space_id = '{space_id}'
