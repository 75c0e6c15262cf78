"""The company: who owns everything else."""

from __future__ import annotations

import uuid

from django.db import models


class Retention(models.TextChoices):
    """How long a tenant keeps conversations."""

    NONE = "none", "Delete when the conversation ends"
    DAYS = "days", "Delete after a number of days without activity"
    KEEP = "keep", "Keep until somebody deletes them"


class Tenant(models.Model):
    """A company: the unit of isolation. `retention_days` counts only where `retention` is days."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=120)
    tagline = models.CharField(max_length=200, blank=True)
    greeting = models.CharField(max_length=300, blank=True)
    suggested_questions = models.JSONField(default=list, blank=True)
    accent = models.CharField(max_length=7, default="#0f766e")
    anonymous_chat = models.BooleanField(default=True, help_text="May visitors chat without signing in?")
    retention = models.CharField(max_length=4, choices=Retention.choices, default=Retention.KEEP)
    retention_days = models.PositiveSmallIntegerField(default=90, help_text="Days since the last activity.")
    quotas = models.JSONField(default=dict, blank=True, help_text="Name of a quota to its limit.")
    two_factor_required = models.BooleanField(
        default=False, help_text="Must members have a second factor before anything else?"
    )
    suspended_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name
