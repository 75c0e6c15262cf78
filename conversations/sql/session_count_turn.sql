-- Number one more turn in the person's own session, which is held until the transaction ends. No row for any other's.
update conversations_session s
set turn_count = s.turn_count + 1, ended_at = null, updated_at = %(moment)s::timestamptz
where s.tenant_id = %(tenant_id)s::uuid and s.id = %(session_id)s::uuid and s.end_user_id = %(end_user_id)s::uuid
returning s.id, s.tenant_id, s.end_user_id, s.turn_count, s.event_seq
