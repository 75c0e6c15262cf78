-- What may be in force for a session: the published versions first, then those that are tried on a share of sessions.
select v.id, v.kind, v.name, v.number, v.state, v.share, v.data
from tenants_version v
where v.tenant_id = %(tenant_id)s::uuid and v.state in ('published', 'staged')
order by v.state <> 'published'
