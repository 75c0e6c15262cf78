"""Row-level security and composite references on the judgements of turns."""

from django.db import migrations

MINE = "tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid"
TABLE = "conversations_turnjudgement"

WALL = f"""
    alter table {TABLE} add constraint {TABLE}_tenant_key unique (tenant_id, id);
    alter table {TABLE} enable row level security;
    alter table {TABLE} force row level security;
    create policy tenant_wall on {TABLE} using ({MINE}) with check ({MINE});
"""
NO_WALL = f"""
    drop policy tenant_wall on {TABLE};
    alter table {TABLE} no force row level security;
    alter table {TABLE} disable row level security;
    alter table {TABLE} drop constraint {TABLE}_tenant_key;
"""
REFERENCE = (
    f"alter table {TABLE} add constraint {TABLE}_turn_id_same_tenant foreign key (tenant_id, turn_id)"
    " references conversations_turn (tenant_id, id) on delete cascade deferrable initially deferred"
)
NO_REFERENCE = f"alter table {TABLE} drop constraint {TABLE}_turn_id_same_tenant"


class Migration(migrations.Migration):
    dependencies = [("conversations", "0011_turn_judgements")]

    operations = [migrations.RunSQL(WALL, NO_WALL), migrations.RunSQL(REFERENCE, NO_REFERENCE)]
