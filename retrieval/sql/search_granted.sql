-- What the asker was granted, directly or as one of an audience.
rights as materialized (
    select max(p.id) filter (where p.codename = 'view_corpus') as view_corpus,
           max(p.id) filter (where p.codename = 'view_document') as view_document
    from auth_permission p
    join django_content_type t on t.id = p.content_type_id and t.app_label = 'retrieval'
    where p.codename in ('view_corpus', 'view_document')
),
granted_corpora as materialized (
    select g.content_object_id as id
    from retrieval_corpususerpermission g
    where g.tenant_id = %(tenant_id)s::uuid and g.user_id = %(user_id)s::integer
      and g.permission_id = (select r.view_corpus from rights r)
    union
    select g.content_object_id
    from retrieval_corpusgrouppermission g
    where g.tenant_id = %(tenant_id)s::uuid and g.group_id = any(%(group_ids)s::integer[])
      and g.permission_id = (select r.view_corpus from rights r)
),
granted_documents as materialized (
    select g.content_object_id as id
    from retrieval_documentuserpermission g
    where g.tenant_id = %(tenant_id)s::uuid and g.user_id = %(user_id)s::integer
      and g.permission_id = (select r.view_document from rights r) {sample}
    union
    select g.content_object_id
    from retrieval_documentgrouppermission g
    where g.tenant_id = %(tenant_id)s::uuid and g.group_id = any(%(group_ids)s::integer[])
      and g.permission_id = (select r.view_document from rights r) {sample}
)
