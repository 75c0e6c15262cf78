"""Tables of the leakage audit: canaries, what was found, and how many checks stand behind it."""

from __future__ import annotations

import uuid

from django.db import models

from tenants.models import TenantModel, User

SUBJECT = "canary:platform"
"""The end user whose conversations are the leakage audit's own."""


class CanaryPlace(models.TextChoices):
    DOCUMENT = "document", "In a document that nobody may see"
    SESSION = "session", "In a conversation of its own"


class Canary(TenantModel):
    """A secret word planted in one place of one tenant. `session` is set where it may be read in that session only."""

    word = models.CharField(max_length=40)
    place = models.CharField(max_length=8, choices=CanaryPlace.choices)
    session = models.ForeignKey(
        "conversations.Session", null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    document_id = models.UUIDField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "word"], name="canary_once")]


class FindingKind(models.TextChoices):
    TENANT = "tenant", "Words of another tenant"
    SESSION = "session", "Words of another conversation"
    PERMISSION = "permission", "A passage that the person might not see"
    PROVENANCE = "provenance", "Something used in a turn that is not the tenant's own"


class FindingSeverity(models.TextChoices):
    CRITICAL = "critical", "Critical"
    HIGH = "high", "High"
    LOW = "low", "Low"


class FindingState(models.TextChoices):
    OPEN = "open", "Open"
    CONFIRMED = "confirmed", "Confirmed"
    DISMISSED = "dismissed", "Dismissed"
    RESOLVED = "resolved", "Resolved"


class Finding(TenantModel):
    """A leak, or what looks like one, in a tenant where it appeared. The same one is found once: `fingerprint`."""

    kind = models.CharField(max_length=10, choices=FindingKind.choices)
    severity = models.CharField(max_length=8, choices=FindingSeverity.choices)
    state = models.CharField(max_length=9, choices=FindingState.choices, default=FindingState.OPEN)
    where = models.CharField(max_length=40, help_text="query, prompt, passage, answer, summary, ledger …")
    session = models.ForeignKey(
        "conversations.Session", null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    turn = models.PositiveIntegerField(default=0, help_text="Number of the turn in its session, 0 for none.")
    evidence = models.JSONField(default=dict)
    fingerprint = models.CharField(max_length=64)
    owner = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    note = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    judged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [models.UniqueConstraint(fields=["tenant", "fingerprint"], name="finding_once")]
        indexes = [models.Index(fields=["tenant", "state", "-created_at"], name="finding_by_state")]


class FindingNotice(models.Model):
    """That a workspace has a finding: for staff, outside the wall and without anything of what was found.

    `mailed_at` is when staff were written to about it. Named by ids alone, so that nothing here reads through the wall;
    it goes with the conversation, and the database takes it away with the workspace.
    """

    finding_id = models.UUIDField(primary_key=True)
    workspace = models.UUIDField()
    severity = models.CharField(max_length=8)
    is_open = models.BooleanField(default=True)
    mailed_at = models.DateTimeField(null=True, blank=True)


class LeakageCheckDay(TenantModel):
    """How many checks were made in a tenant on a day (UTC), by kind: zero findings mean nothing without it."""

    day = models.DateField()
    kind = models.CharField(max_length=20, help_text="written, nightly, provenance.")
    checks = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "day", "kind"], name="leakage_checks_once")]


class AuditRun(models.Model):
    """A run of the probes or of the isolation self-test: of the platform as a whole, with figures and no content."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=20, help_text="leakage_probe or isolation_selftest.")
    report = models.JSONField()
    failed = models.PositiveIntegerField(help_text="Leaks, or failed checks.")
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField()

    class Meta:
        ordering = ["-started_at"]


class Judgement(models.TextChoices):
    CONFIRMED = "confirmed", "Confirmed"
    DISMISSED = "dismissed", "Dismissed"


class TurnJudgement(TenantModel):
    """What a member made of the guard's verdict on a turn: right, or a false alarm. One a turn, the last word counts."""

    turn = models.OneToOneField("conversations.Turn", on_delete=models.CASCADE, related_name="+")
    judgement = models.CharField(max_length=9, choices=Judgement.choices)
    note = models.CharField(max_length=500, blank=True)
    by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()


class QuestionDealtWith(TenantModel):
    """A question without a source that a member has dealt with, such as by adding a document.

    It is known by the fingerprint of its words alone: nothing of what was asked is kept here. Asked in vain after `at`,
    the question is open again.
    """

    fingerprint = models.CharField(max_length=64)
    by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "fingerprint"], name="question_dealt_with_once")
        ]
