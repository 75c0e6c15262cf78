-- Every vector of the permitted documents, through the index on documents: small sets, perfect recall.
select q.number, q.space_id, q.weight, e.chunk_id, e.distance
from vectors q
cross join lateral (
    select v.chunk_id, v.embedding <=> q.vector as distance
    from permitted p
    join {relation} v
      on v.tenant_id = %(tenant_id)s::uuid and v.document_id = p.id and v.space_id = q.space_id
     and v.generation = p.generation
    where p.space_id = q.space_id
      and v.chunk_id <> all (%(excluded)s::uuid[])
    order by distance, v.chunk_id
    limit %(near)s::bigint
) e
where {condition}
