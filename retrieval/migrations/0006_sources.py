"""Documents that come from an address, and the sitemaps they were listed in."""

import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0005_slices"),
        ("tenants", "0002_wall"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="document",
            name="fetch_due",
            field=models.BooleanField(
                default=False, editable=False, help_text="To be fetched before it is read."
            ),
        ),
        migrations.AddField(
            model_name="document",
            name="fetched_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="document",
            name="source_etag",
            field=models.CharField(blank=True, default="", editable=False, max_length=300),
        ),
        migrations.AddField(
            model_name="document",
            name="source_modified",
            field=models.CharField(blank=True, default="", editable=False, max_length=100),
        ),
        migrations.AddField(
            model_name="document",
            name="source_url",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Where it is fetched from; empty for an upload.",
                max_length=2000,
            ),
        ),
        migrations.CreateModel(
            name="SiteImport",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("url", models.CharField(max_length=2000)),
                ("page_limit", models.PositiveIntegerField(help_text="Pages taken at most.")),
                (
                    "tags",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=60), blank=True, null=True, size=None
                    ),
                ),
                ("restricted", models.BooleanField(blank=True, null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("reading", "Reading the sitemap"),
                            ("listed", "Pages listed"),
                            ("failed", "Not readable"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("reason_code", models.CharField(blank=True, max_length=60)),
                ("reason", models.CharField(blank=True, max_length=500)),
                (
                    "pages_listed",
                    models.PositiveIntegerField(default=0, help_text="Pages the sitemap names."),
                ),
                ("pages_taken", models.PositiveIntegerField(default=0)),
                (
                    "failures",
                    models.PositiveSmallIntegerField(default=0, help_text="Interrupted tries in a row."),
                ),
                ("lease_token", models.UUIDField(blank=True, editable=False, null=True)),
                ("lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
                ("queued_at", models.DateTimeField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="site_imports",
                        to="retrieval.corpus",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "id"],
            },
        ),
        migrations.AddField(
            model_name="document",
            name="site_import",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="documents",
                to="retrieval.siteimport",
            ),
        ),
        migrations.AddConstraint(
            model_name="document",
            constraint=models.UniqueConstraint(
                condition=models.Q(("source_url", ""), _negated=True),
                fields=("tenant", "corpus", "source_url"),
                name="document_source_once_per_corpus",
            ),
        ),
    ]
