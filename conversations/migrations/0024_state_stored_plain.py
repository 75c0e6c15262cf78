"""What a session remembers is written at every turn and is mostly vectors: PostgreSQL need not try to compress it."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("conversations", "0023_questions_dealt_with_wall")]

    operations = [
        migrations.RunSQL(
            "alter table conversations_sessionstate alter column data set storage external",
            "alter table conversations_sessionstate alter column data set storage extended",
        )
    ]
