"""What identities need besides: an expected audience, revoking, one-time use, and which claims are the newest."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0006_audit_append_only")]

    operations = [
        migrations.AddField(
            model_name="identitykey",
            name="expected_aud",
            field=models.CharField(
                blank=True,
                default="",
                help_text="What `aud` must hold; empty: the workspace's short name or its id.",
                max_length=200,
            ),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="identitykey",
            name="retired_at",
            field=models.DateTimeField(
                blank=True, help_text="Checks only what was signed before, for a day.", null=True
            ),
        ),
        migrations.AddField(
            model_name="identitykey",
            name="revoked_at",
            field=models.DateTimeField(blank=True, help_text="Checks nothing any more.", null=True),
        ),
        migrations.AddField(
            model_name="widgetkey",
            name="one_time_identities",
            field=models.BooleanField(
                default=False,
                help_text="Accept each signed identity only once? It must then carry a jti.",
            ),
        ),
        migrations.AddField(
            model_name="enduser",
            name="claims_at",
            field=models.DateTimeField(
                editable=False,
                help_text="When the newest identity that was seen of them was signed.",
                null=True,
            ),
        ),
    ]
