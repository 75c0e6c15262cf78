-- The turns that wait in a session that is held under this lease, oldest first, with the account of the person who
-- asks and the version of what the session remembers. One that waits alone is being answered from now on; which of
-- several are one thought is not decided here. A statement of its own after the lease was taken: what another process
-- finished meanwhile must be seen as finished.
with waiting as (
    select t.*
    from conversations_turn t
    where t.tenant_id = %(tenant_id)s::uuid and t.session_id = %(session_id)s::uuid
      and t.state in ('accepted', 'running')
      and exists (
          select from conversations_session s
          where s.tenant_id = t.tenant_id and s.id = t.session_id and s.lease_token = %(token)s::uuid
      )
),
running as (
    update conversations_turn t
    set state = 'running', attempts = t.attempts + 1
    where t.tenant_id = %(tenant_id)s::uuid and t.id in (select w.id from waiting w)
      and (select count(*) from waiting) = 1
    returning t.id
)
select exists (select from running), e.user_id, coalesce(r.version, 0),
       w.id, w.tenant_id, w.session_id, w.n, w.client_id, w.message, w.state, w.attempts, w.stop_requested,
       w.joined_to_id, w.created_at
from waiting w
join conversations_session s on s.tenant_id = w.tenant_id and s.id = w.session_id
join tenants_enduser e on e.tenant_id = s.tenant_id and e.id = s.end_user_id
left join conversations_sessionstate r on r.tenant_id = s.tenant_id and r.session_id = s.id
order by w.n
