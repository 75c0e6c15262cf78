-- Hold the person's own session until the transaction ends: who counts its turns next, counts them all. No row for any
-- other's.
select s.id from conversations_session s
where s.tenant_id = %(tenant_id)s::uuid and s.id = %(session_id)s::uuid and s.end_user_id = %(end_user_id)s::uuid
for no key update
