"""Row-level security on the questions that were dealt with."""

from django.db import migrations

MINE = "tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid"
TABLE = "conversations_questiondealtwith"

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


class Migration(migrations.Migration):
    dependencies = [("conversations", "0022_questions_dealt_with")]

    operations = [migrations.RunSQL(WALL, NO_WALL)]
