-- A partition's own index, nearest first until enough of what comes is permitted: large sets.
select q.number, q.space_id, q.weight, e.chunk_id, e.distance
from vectors q
cross join lateral (
    select v.chunk_id, v.embedding::halfvec({dimensions}) <=> q.vector::halfvec({dimensions}) as distance
    from {relation} v
    where v.chunk_id <> all (%(excluded)s::uuid[])
      and {visible}
    order by v.embedding::halfvec({dimensions}) <=> q.vector::halfvec({dimensions})
    limit %(near)s::bigint
) e
where q.space_id = '{space_id}'
