update conversations_turn t
set state = 'running', attempts = t.attempts + 1
where t.tenant_id = %(tenant_id)s::uuid and t.id = %(turn_id)s::uuid
