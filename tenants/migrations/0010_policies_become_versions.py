"""Each tenant's own scope policy becomes its published version 1, with the defaults of today written out."""

import json

from django.db import migrations

DEFAULTS = {
    "strategy": "liveness",
    "window": 4,
    "horizons": {"stale_after": 3, "evict_after": 8, "per_type": {}},
    "thresholds": {
        "space": "local/all-MiniLM-L6-v2-int8/384",
        "related": 0.26,
        "unrelated": 0.17,
        "boundary": 0.15,
        "diverged": 0.2,
        "returned": 0.55,
    },
    "single_valued": ["place", "date"],
    "budgets": {
        "assistant_tokens": 300,
        "query_characters": 600,
        "exchanges_kept": 12,
        "sentences_kept": 8,
        "closed_slots_kept": 24,
    },
    "resume_after_seconds": 21600,
}
INSERT = """
insert into tenants_version
    (id, tenant_id, kind, name, number, state, data, note, share, created_at, updated_at, published_at)
select gen_random_uuid(), %s, 'policy', 'scope', 1, 'published', %s, 'From before policies had versions', 0,
    now(), now(), now()
where not exists (select from tenants_version where kind = 'policy' and name = 'scope')
"""


def completed(policy):
    """The policy with every default, without what no policy knows."""
    return {
        key: {inner: policy.get(key, {}).get(inner, known) for inner, known in default.items()}
        if isinstance(default, dict)
        else policy.get(key, default)
        for key, default in DEFAULTS.items()
    }


def publish(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("select id, scope_policy from tenants_tenant where scope_policy <> '{}'")
        for tenant_id, policy in cursor.fetchall():
            data = json.loads(policy) if isinstance(policy, str) else policy
            cursor.execute("select set_config('antecedent.tenant_id', %s, true)", [str(tenant_id)])
            cursor.execute(INSERT, [tenant_id, json.dumps(completed(data))])
        cursor.execute("select set_config('antecedent.tenant_id', '', true)")


def restore(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("select id from tenants_tenant")
        for (tenant_id,) in cursor.fetchall():
            cursor.execute("select set_config('antecedent.tenant_id', %s, true)", [str(tenant_id)])
            cursor.execute(
                """
                update tenants_tenant t set scope_policy = v.data from tenants_version v
                where t.id = %s and v.kind = 'policy' and v.name = 'scope' and v.state = 'published'
                """,
                [tenant_id],
            )
        cursor.execute("select set_config('antecedent.tenant_id', '', true)")


class Migration(migrations.Migration):
    dependencies = [("tenants", "0009_versions_never_change")]

    operations = [migrations.RunPython(publish, restore)]
