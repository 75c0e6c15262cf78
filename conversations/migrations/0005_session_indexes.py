"""What the sweeps look for: sessions by their last activity, and those whose memory lags."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("conversations", "0004_memory_wall")]

    operations = [
        AddIndexConcurrently(
            model_name="session",
            index=models.Index(fields=["tenant", "updated_at"], name="session_by_activity"),
        ),
        AddIndexConcurrently(
            model_name="session",
            index=models.Index(
                condition=models.Q(("memory_turn__lt", models.F("last_exchange"))),
                fields=["tenant", "last_turn_at"],
                name="session_memory_due",
            ),
        ),
    ]
