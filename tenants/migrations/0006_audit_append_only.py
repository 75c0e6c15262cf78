"""Audit entries are appended, never changed: the database itself refuses, until the tenant as a whole is erased."""

from django.db import migrations

FORWARDS = """
create function tenants_auditentry_append_only() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' and current_setting('antecedent.erasing_tenant', true) = old.tenant_id::text then
        return old;
    end if;
    raise exception 'audit entries are append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger append_only before update or delete on tenants_auditentry
    for each row execute function tenants_auditentry_append_only();
"""
BACKWARDS = """
drop trigger append_only on tenants_auditentry;
drop function tenants_auditentry_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0005_open_interfaces_wall")]

    operations = [migrations.RunSQL(FORWARDS, BACKWARDS)]
