-- What the person's own session remembers, whole: its exchanges stand in the archive, each once, and in the state by
-- their numbers, or in full where they are no longer as they were archived.
select jsonb_set(r.data, '{exchanges}', coalesce(
    (
        select jsonb_agg(coalesce(a.data, e.value) order by e.ordinality)
        from jsonb_array_elements(r.data -> 'exchanges') with ordinality e
        left join conversations_archivedexchange a
          on a.tenant_id = r.tenant_id and a.session_id = r.session_id
          and a.n = case jsonb_typeof(e.value) when 'number' then e.value::integer end
        where a.data is not null or jsonb_typeof(e.value) = 'object'
    ),
    '[]'
))
from conversations_sessionstate r
join conversations_session s on s.tenant_id = r.tenant_id and s.id = r.session_id
where r.tenant_id = %(tenant_id)s::uuid and r.session_id = %(session_id)s::uuid and s.end_user_id = %(end_user_id)s::uuid
