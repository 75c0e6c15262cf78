-- What decides whether one more turn is taken: the turn that this message made already, and how many wait in this
-- session, in all of the person's, and in the tenant.
select (
           select k.id from conversations_turn k
           where k.tenant_id = %(tenant_id)s::uuid and k.session_id = %(session_id)s::uuid
             and k.client_id = %(client_id)s
       ),
       count(*) filter (where t.session_id = %(session_id)s::uuid),
       count(*) filter (where s.end_user_id = %(end_user_id)s::uuid),
       count(*)
from conversations_turn t
join conversations_session s on s.tenant_id = t.tenant_id and s.id = t.session_id
where t.tenant_id = %(tenant_id)s::uuid and t.state in ('accepted', 'running')
