select v.chunk_id
from {partition} v
order by v.embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})
limit 10
