-- One more turn of the person's own session, numbered and stored, unless the message made one already or too many wait.
-- The row says what was there before (the turn of the same message, and how many wait in this session, in all of the
-- person's, and in the tenant) and, where a turn was stored, the session as it is now. A null limit is none.
with before as (
    select (
               select k.id from conversations_turn k
               where k.tenant_id = %(tenant_id)s::uuid and k.session_id = %(session_id)s::uuid
                 and k.client_id = %(client_id)s
           ) as known,
           count(*) filter (where t.session_id = %(session_id)s::uuid) as in_session,
           count(*) filter (where s.end_user_id = %(end_user_id)s::uuid) as of_end_user,
           count(*) as in_tenant
    from conversations_turn t
    join conversations_session s on s.tenant_id = t.tenant_id and s.id = t.session_id
    where t.tenant_id = %(tenant_id)s::uuid and t.state in ('accepted', 'running')
),
counted as (
    update conversations_session s
    set turn_count = s.turn_count + 1, ended_at = null, updated_at = %(moment)s::timestamptz
    where s.tenant_id = %(tenant_id)s::uuid and s.id = %(session_id)s::uuid and s.end_user_id = %(end_user_id)s::uuid
      and exists (
          select from before b
          where b.known is null
            and b.in_session < %(most_in_session)s::bigint
            and b.of_end_user < %(most_of_end_user)s::bigint
            and (%(most_in_tenant)s::bigint is null or b.in_tenant < %(most_in_tenant)s::bigint)
      )
    returning s.id, s.tenant_id, s.end_user_id, s.turn_count, s.event_seq
),
stored as (
    insert into conversations_turn (
        id, tenant_id, session_id, n, client_id, message, created_at, state, attempts, stop_requested,
        kind, query, display, rewritten, verdict, answer, citations, policy_version, prompt_versions, rating,
        rating_reason
    )
    select %(turn_id)s::uuid, c.tenant_id, c.id, c.turn_count, %(client_id)s, %(message)s, %(moment)s::timestamptz,
           'accepted', 0, false, '', '', '', false, '', '', '[]', 0, '{}', '', ''
    from counted c
)
select b.known, b.in_session, b.of_end_user, b.in_tenant, c.*
from before b
left join counted c on true
