"""What reports count, without reading whole turns; and the few that the guard objected to."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

COUNTED = ["session", "verdict", "kind", "policy_version", "contextualize_version", "rating"]
FLAGGED = ["contaminated", "invented", "diverged", "malformed", "revoked"]


def by_time(name, include, condition):
    index = models.Index(fields=["tenant", "-created_at"], include=include, condition=condition, name=name)
    return AddIndexConcurrently(model_name="turn", index=index)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("conversations", "0018_finding_notices")]

    operations = [
        by_time("turn_figures", COUNTED, ~models.Q(verdict="")),
        by_time("turn_flagged", ["session", "verdict"], models.Q(verdict__in=FLAGGED)),
    ]
