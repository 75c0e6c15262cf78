-- Whether the asker may see a document `d` now: by a grant on it, or by one on its corpus unless it is restricted.
-- Each grant is looked up by its object, so that it does not matter how many there are: "offset 0" keeps the planner
-- from reading all that the asker has.
%(sees_all)s::boolean
or exists (
    select from retrieval_documentgrouppermission g
    where g.tenant_id = d.tenant_id and g.content_object_id = d.id
      and g.permission_id = (select r.view_document from rights r)
      and g.group_id = any(%(group_ids)s::integer[])
    offset 0
)
or exists (
    select from retrieval_documentuserpermission g
    where g.tenant_id = d.tenant_id and g.content_object_id = d.id
      and g.permission_id = (select r.view_document from rights r)
      and g.user_id = %(user_id)s::integer
    offset 0
)
or (
    not d.restricted
    and (
        exists (
            select from retrieval_corpusgrouppermission g
            where g.tenant_id = d.tenant_id and g.content_object_id = d.corpus_id
              and g.permission_id = (select r.view_corpus from rights r)
              and g.group_id = any(%(group_ids)s::integer[])
            offset 0
        )
        or exists (
            select from retrieval_corpususerpermission g
            where g.tenant_id = d.tenant_id and g.content_object_id = d.corpus_id
              and g.permission_id = (select r.view_corpus from rights r)
              and g.user_id = %(user_id)s::integer
            offset 0
        )
    )
)
