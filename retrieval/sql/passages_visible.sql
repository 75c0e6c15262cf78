-- Those of some passages that the asker may see now: by a grant on their document, or by one on its corpus unless the
-- document is restricted. Each grant is looked up by its object, so that it does not matter how many there are.
with rights as materialized (
    select max(p.id) filter (where p.codename = 'view_corpus') as view_corpus,
           max(p.id) filter (where p.codename = 'view_document') as view_document
    from auth_permission p
    join django_content_type t on t.id = p.content_type_id and t.app_label = 'retrieval'
    where p.codename in ('view_corpus', 'view_document')
)
select c.id
from retrieval_chunk c
join retrieval_document d on d.tenant_id = c.tenant_id and d.id = c.document_id
where c.tenant_id = %(tenant_id)s::uuid
  and c.id = any(%(chunk_ids)s::uuid[])
  and (
      %(sees_all)s::boolean
      or exists (
          select from retrieval_documentgrouppermission g
          where g.tenant_id = c.tenant_id and g.content_object_id = d.id
            and g.permission_id = (select r.view_document from rights r)
            and g.group_id = any(%(group_ids)s::integer[])
      )
      or exists (
          select from retrieval_documentuserpermission g
          where g.tenant_id = c.tenant_id and g.content_object_id = d.id
            and g.permission_id = (select r.view_document from rights r)
            and g.user_id = %(user_id)s::integer
      )
      or (
          not d.restricted
          and (
              exists (
                  select from retrieval_corpusgrouppermission g
                  where g.tenant_id = c.tenant_id and g.content_object_id = d.corpus_id
                    and g.permission_id = (select r.view_corpus from rights r)
                    and g.group_id = any(%(group_ids)s::integer[])
              )
              or exists (
                  select from retrieval_corpususerpermission g
                  where g.tenant_id = c.tenant_id and g.content_object_id = d.corpus_id
                    and g.permission_id = (select r.view_corpus from rights r)
                    and g.user_id = %(user_id)s::integer
              )
          )
      )
  )
