select v.space_id, v.embedding
from {relation} v
where v.tenant_id = %(tenant_id)s::uuid and v.chunk_id = f.chunk_id
