"""pgvector: half-precision vectors and their distances."""

from django.db import migrations


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        # Left in place on the way back: other applications of the database may use it.
        migrations.RunSQL("create extension if not exists vector", migrations.RunSQL.noop),
    ]
