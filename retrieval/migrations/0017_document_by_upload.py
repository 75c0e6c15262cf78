"""The console's list of documents in its order, with what it counts and is narrowed by, in an index alone; what failed."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("retrieval", "0016_corpus_keeps_model")]

    operations = [
        AddIndexConcurrently(
            model_name="document",
            index=models.Index(
                fields=["tenant", "-uploaded_at", "id"],
                include=["state", "corpus", "restricted"],
                name="document_by_upload",
            ),
        ),
        AddIndexConcurrently(
            model_name="document",
            index=models.Index(
                fields=["tenant", "-updated_at"], name="document_failed", condition=models.Q(state="failed")
            ),
        ),
    ]
