"""Policies and prompts as versions: drafted, published, tried on a share of sessions, rolled back."""

from __future__ import annotations

from django.db import models

from tenants.models.base import TenantModel
from tenants.models.members import User


class VersionKind(models.TextChoices):
    POLICY = "policy", "Policy"
    PROMPT = "prompt", "Prompt"


class VersionState(models.TextChoices):
    DRAFT = "draft", "Draft"
    STAGED = "staged", "Tried on a share of sessions"
    PUBLISHED = "published", "Published"
    RETIRED = "retired", "Retired"


class Version(TenantModel):
    """One version of a policy or a prompt. At most one is published and one staged; only drafts change (a trigger)."""

    kind = models.CharField(max_length=6, choices=VersionKind.choices)
    name = models.SlugField(max_length=40, help_text="`scope` for policies; the prompt's name for prompts.")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=9, choices=VersionState.choices, default=VersionState.DRAFT)
    data = models.JSONField()
    note = models.CharField(max_length=300, blank=True)
    share = models.PositiveSmallIntegerField(default=0, help_text="Percent of sessions while staged.")
    based_on = models.PositiveIntegerField(null=True, blank=True, help_text="The number it was drafted from.")
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["kind", "name", "-number"]
        indexes = [
            models.Index(
                fields=["tenant"],
                condition=models.Q(state__in=["published", "staged"]),
                name="version_in_force",
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "kind", "name", "number"], name="version_number_once_per_tenant"
            ),
            models.UniqueConstraint(
                fields=["tenant", "kind", "name"],
                condition=models.Q(state="published"),
                name="version_published_once_per_tenant",
            ),
            models.UniqueConstraint(
                fields=["tenant", "kind", "name"],
                condition=models.Q(state="staged"),
                name="version_staged_once_per_tenant",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name} {self.number}"
