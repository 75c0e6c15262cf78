-- About how many passages are permitted, and how many there are: ids are random, so documents below a sixteenth of all ids are a sample.
with
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
      and g.permission_id = (select r.view_document from rights r)
      and g.content_object_id < '10000000-0000-0000-0000-000000000000'
    union
    select g.content_object_id
    from retrieval_documentgrouppermission g
    where g.tenant_id = %(tenant_id)s::uuid and g.group_id = any(%(group_ids)s::integer[])
      and g.permission_id = (select r.view_document from rights r)
      and g.content_object_id < '10000000-0000-0000-0000-000000000000'
)
select 16 * coalesce(sum(d.chunk_count) filter (
           where (
                   %(sees_all)s::boolean
                   or (not d.restricted and d.corpus_id in (select g.id from granted_corpora g))
                   or d.id in (select g.id from granted_documents g)
               )
             and (cardinality(%(corpus_ids)s::uuid[]) = 0 or d.corpus_id = any(%(corpus_ids)s::uuid[]))
             {filters}
       ), 0) as permitted,
       16 * coalesce(sum(d.chunk_count), 0) as total
from retrieval_document d
where d.tenant_id = %(tenant_id)s::uuid
  and d.id < '10000000-0000-0000-0000-000000000000'
  and d.generation > 0
