"""Which versions of the tenant's policy and prompts a turn ran under; those of the prompts as columns of their own."""

from django.db import migrations, models
from django.db.models.fields.json import KT
from django.db.models.functions import Cast


def version_in(name):
    number = Cast(KT(f"prompt_versions__{name}"), models.IntegerField())
    return models.GeneratedField(
        db_persist=True, editable=False, expression=number, output_field=models.IntegerField(null=True)
    )


class Migration(migrations.Migration):
    dependencies = [("conversations", "0005_session_indexes")]

    operations = [
        migrations.AddField(
            model_name="turn",
            name="policy_version",
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name="turn",
            name="prompt_versions",
            field=models.JSONField(default=dict, editable=False),
        ),
        migrations.AddField(
            model_name="turn", name="contextualize_version", field=version_in("contextualize")
        ),
        migrations.AddField(model_name="turn", name="answer_version", field=version_in("answer")),
    ]
