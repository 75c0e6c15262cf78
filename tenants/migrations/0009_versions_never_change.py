"""A version that sessions ran under never changes and never becomes a draft again, whoever writes to the table."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tenants", "0008_versions_in_force")]

    operations = [
        migrations.RunSQL(
            """
            create function tenants_version_is_fixed() returns trigger language plpgsql as $$
            begin
                raise exception 'a version that was in force never changes' using errcode = 'check_violation';
            end $$;
            create trigger version_never_changes before update on tenants_version for each row
            when (
                old.state <> 'draft'
                and (
                    new.state = 'draft'
                    or new.data is distinct from old.data
                    or (new.tenant_id, new.kind, new.name, new.number)
                        is distinct from (old.tenant_id, old.kind, old.name, old.number)
                )
            )
            execute function tenants_version_is_fixed();
            """,
            """
            drop trigger version_never_changes on tenants_version;
            drop function tenants_version_is_fixed();
            """,
        )
    ]
