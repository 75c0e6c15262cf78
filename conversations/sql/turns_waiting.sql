-- The turns that wait in a session that is held under this lease, oldest first, with the account of the person who
-- asks and the version of what the session remembers. A statement of its own after the lease was taken: what another
-- process finished meanwhile must be seen as finished.
select e.user_id, coalesce(r.version, 0),
       t.id, t.tenant_id, t.session_id, t.n, t.client_id, t.message, t.state, t.attempts, t.stop_requested,
       t.joined_to_id, t.created_at
from conversations_session s
join conversations_turn t on t.tenant_id = s.tenant_id and t.session_id = s.id and t.state in ('accepted', 'running')
join tenants_enduser e on e.tenant_id = s.tenant_id and e.id = s.end_user_id
left join conversations_sessionstate r on r.tenant_id = s.tenant_id and r.session_id = s.id
where s.tenant_id = %(tenant_id)s::uuid and s.id = %(session_id)s::uuid and s.lease_token = %(token)s::uuid
order by t.n
