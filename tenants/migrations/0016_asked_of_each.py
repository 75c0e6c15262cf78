"""One question, answered inside the scope of each tenant in turn: nobody reads across the wall, and it is one trip."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tenants", "0015_support_visits")]

    operations = [
        # With the rights of whoever calls it. `set local`, because Citus passes that on to the nodes, no `set_config`.
        migrations.RunSQL(
            """
            create function tenants_asked_of_each(tenants uuid[], question text, given jsonb)
            returns table (tenant uuid, answer jsonb) language plpgsql as $$
            declare
              before text := coalesce(current_setting('antecedent.tenant_id', true), '');
            begin
              foreach tenant in array tenants loop
                execute format('set local antecedent.tenant_id = %L', tenant);
                execute question into answer using tenant, given;
                return next;
              end loop;
              execute format('set local antecedent.tenant_id = %L', before);
            end $$
            """,
            "drop function tenants_asked_of_each(uuid[], text, jsonb)",
        )
    ]
