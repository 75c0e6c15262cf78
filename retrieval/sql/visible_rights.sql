-- The permissions that show something.
rights as materialized (
    select max(p.id) filter (where p.codename = 'view_corpus') as view_corpus,
           max(p.id) filter (where p.codename = 'view_document') as view_document
    from auth_permission p
    join django_content_type t on t.id = p.content_type_id and t.app_label = 'retrieval'
    where p.codename in ('view_corpus', 'view_document')
)
