"""Everything that the console counts of turns, in one index that holds it: no report reads whole turns.

It takes the place of two that it can do everything of. What an overview counts as unanswered needs the citations, which
are JSON: those turns are few, and have an index of their own. An index speaks alone only for what vacuum has seen: it comes by
when a twentieth of the table is new, not a fifth.
"""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models

COUNTED = [
    "id",
    "session",
    "verdict",
    "kind",
    "state",
    "rating",
    "rewritten",
    "policy_version",
    "contextualize_version",
    "finished_at",
]
UNSOURCED = models.Q(state="completed") & ~models.Q(kind="small_talk") & models.Q(citations=[])


def by_time(name, include, condition=None):
    index = models.Index(fields=["tenant", "-created_at"], include=include, condition=condition, name=name)
    return AddIndexConcurrently(model_name="turn", index=index)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("conversations", "0019_turn_figures")]

    operations = [
        by_time("turn_counted", COUNTED),
        by_time("turn_unsourced", ["id", "session"], UNSOURCED),
        RemoveIndexConcurrently(model_name="turn", name="turn_figures"),
        RemoveIndexConcurrently(model_name="turn", name="turn_by_time"),
        migrations.RunSQL(
            "alter table conversations_turn set"
            " (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05)",
            "alter table conversations_turn reset"
            " (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor)",
        ),
    ]
