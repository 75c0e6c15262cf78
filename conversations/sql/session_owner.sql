select s.end_user_id from conversations_session s where s.tenant_id = %(tenant_id)s::uuid and s.id = %(session_id)s::uuid
