"""A tenant's policy is read from its versions; the column is no longer needed."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tenants", "0010_policies_become_versions")]

    operations = [migrations.RemoveField(model_name="tenant", name="scope_policy")]
