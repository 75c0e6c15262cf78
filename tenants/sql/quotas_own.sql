select t.quotas from tenants_tenant t where t.id = %(tenant_id)s::uuid
