-- A session's current parts in the order of their turns, each with the last turn that is covered: one row without a
-- part where there is none.
select s.memory_turn, p.first_turn, p.last_turn, p.text, p.level, p.entities, p.chunks, p.engine
from conversations_session s
left join conversations_summarypart p on p.tenant_id = s.tenant_id and p.session_id = s.id
where s.tenant_id = %(tenant_id)s::uuid and s.id = %(session_id)s::uuid
order by p.first_turn
