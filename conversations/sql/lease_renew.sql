-- Hold on to a session for another while, and hear whether its turn was asked to stop. No row when the lease was lost.
update conversations_session s
set lease_until = %(until)s::timestamptz
where s.tenant_id = %(tenant_id)s::uuid and s.id = %(session_id)s::uuid and s.lease_token = %(token)s::uuid
returning coalesce((
    select t.stop_requested from conversations_turn t
    where t.tenant_id = %(tenant_id)s::uuid and t.id = %(turn_id)s::uuid
), false)
