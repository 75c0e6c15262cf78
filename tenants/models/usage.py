"""What a tenant has used, requests that must not be done twice, and archives of its data."""

from __future__ import annotations

from django.db import models

from tenants.models.base import TenantModel
from tenants.models.members import User


class UsageDay(TenantModel):
    """How much of one thing a tenant used on one day (UTC)."""

    day = models.DateField()
    metric = models.CharField(max_length=40, help_text="turns, model_tokens, documents, bytes, requests …")
    value = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "day", "metric"], name="usage_once_per_tenant_and_day")
        ]


class UsageFlush(TenantModel):
    """The number of the last batch of counters that is in `UsageDay`: no batch is ever added twice."""

    number = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant"], name="usage_flush_once_per_tenant")]


class IdempotentRequest(TenantModel):
    """A request that was made under an idempotency key, and what it was answered."""

    caller = models.CharField(max_length=80)
    key = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of method, path and body.")
    status = models.PositiveSmallIntegerField(null=True, blank=True, help_text="None while it is being done.")
    body = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "caller", "key"], name="idempotency_key_once_per_caller"
            )
        ]


class ExportState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    READY = "ready", "Ready"
    FAILED = "failed", "Failed"


class DataExport(TenantModel):
    """An archive of everything of a tenant, or of one end user where `subject` says whose.

    Whoever makes it holds a lease; one whose maker has died is made anew. `manifest` says what is in it.
    """

    subject = models.CharField(max_length=200, blank=True, help_text="The end user's subject; empty for all.")
    state = models.CharField(max_length=7, choices=ExportState.choices, default=ExportState.WAITING)
    progress = models.FloatField(default=0.0, help_text="From 0 to 1.")
    reason = models.CharField(max_length=300, blank=True, help_text="Why it failed.")
    bytes = models.BigIntegerField(default=0)
    manifest = models.JSONField(default=dict, blank=True)
    failures = models.PositiveSmallIntegerField(default=0, help_text="Tries that broke off.")
    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    requested_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
