-- Those of some passages that the asker may see now. Lines of "--+" are where the parts that it shares go.
with
--+visible_rights
select c.id
from retrieval_chunk c
join retrieval_document d on d.tenant_id = c.tenant_id and d.id = c.document_id
where c.tenant_id = %(tenant_id)s::uuid
  and c.id = any(%(chunk_ids)s::uuid[])
  and (
      --+visible_document
  )
