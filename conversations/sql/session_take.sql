-- Take the session over under a lease, unless another process holds one that has not run out. No row when it does.
update conversations_session s
set lease_token = %(token)s::uuid, lease_until = %(until)s::timestamptz
where s.tenant_id = %(tenant_id)s::uuid
  and s.id = %(session_id)s::uuid
  and (s.lease_until is null or s.lease_until < %(moment)s::timestamptz)
returning s.id, s.tenant_id, s.end_user_id, s.event_seq, s.memory_turn, s.last_turn_at
