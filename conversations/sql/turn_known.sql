-- Whether the message with this client's id is here: in the session, or as the one that opened a session.
select exists (
    select from conversations_turn t
    where t.tenant_id = %(tenant_id)s::uuid and t.session_id = %(session_id)s::uuid and t.client_id = %(client_id)s
)
or exists (
    select from conversations_session s
    where %(session_id)s::uuid is null and s.tenant_id = %(tenant_id)s::uuid
      and s.end_user_id = %(end_user_id)s::uuid and s.opened_by = %(client_id)s and s.turn_count > 0
)
