"""The turns of one version, newest first: what audits by version read."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


def by_version(column, name):
    index = models.Index(fields=["tenant", column, "-created_at"], name=name)
    return AddIndexConcurrently(model_name="turn", index=index)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("conversations", "0006_turn_versions")]

    operations = [
        by_version("policy_version", "turn_by_policy_version"),
        by_version("contextualize_version", "turn_by_contextualize_version"),
        by_version("answer_version", "turn_by_answer_version"),
    ]
