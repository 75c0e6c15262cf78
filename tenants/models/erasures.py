"""What was erased: jobs while they run, receipts afterwards. Neither holds anything of what was in the data."""

from __future__ import annotations

import uuid

from django.db import models

from tenants.models.base import TenantModel


class ErasureState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"


class _Receipt(models.Model):
    """How far it is and what is gone: kinds and numbers of rows and files, when, and on whose word."""

    state = models.CharField(max_length=7, choices=ErasureState.choices, default=ErasureState.WAITING)
    progress = models.FloatField(default=0.0, help_text="From 0 to 1.")
    counts = models.JSONField(default=dict, help_text="What was deleted, by kind.")
    actor = models.CharField(max_length=20, help_text="user, key, staff, system or end_user.")
    actor_id = models.CharField(max_length=64, blank=True)
    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ["-created_at"]


class Erasure(TenantModel, _Receipt):
    """The erasure of one end user. Whose it was is known only while it runs."""

    end_user_id = models.UUIDField(null=True, blank=True, editable=False)
    subject = models.CharField(max_length=200, blank=True, editable=False)

    class Meta(_Receipt.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "end_user_id"],
                condition=~models.Q(end_user_id=None),
                name="erasure_once_per_end_user",
            )
        ]


class TenantErasure(_Receipt):
    """The erasure of a whole tenant. It outlives the tenant, so it is no tenant's row and refers to none."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    erased_tenant_id = models.UUIDField(unique=True)
    slug = models.CharField(max_length=40)
