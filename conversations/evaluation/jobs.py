"""What all background work that somebody asks for in the console has in common."""

from __future__ import annotations

from django.db import models

from tenants.models import TenantModel, User


class JobState(models.TextChoices):
    QUEUED = "queued", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    CANCELLED = "cancelled", "Cancelled"
    FAILED = "failed", "Failed"


UNFINISHED = (JobState.QUEUED, JobState.RUNNING)


class Job(TenantModel):
    """`lease_*` says which worker is at it, `tries` how often one broke off."""

    with_model = models.BooleanField(default=False)
    state = models.CharField(max_length=9, choices=JobState.choices, default=JobState.QUEUED)
    reason = models.CharField(max_length=300, blank=True)
    total = models.PositiveIntegerField(default=0)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    tries = models.PositiveSmallIntegerField(default=0, editable=False)
    requested_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True
