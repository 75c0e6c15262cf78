"""People who chat, and the audiences that documents are shown to."""

from __future__ import annotations

from django.contrib.auth.models import Group
from django.db import models

from tenants.models.base import TenantModel
from tenants.models.members import User


class Audience(TenantModel):
    """A named group of end users inside one tenant: what document permissions are granted to."""

    EVERYONE = "everyone"
    MEMBERS = "members"

    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=120)
    description = models.CharField(max_length=300, blank=True)
    group = models.OneToOneField(Group, on_delete=models.PROTECT, related_name="+")
    builtin = models.BooleanField(default=False)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "slug"], name="audience_slug_once_per_tenant")
        ]

    def __str__(self) -> str:
        return self.name


class EndUserKind(models.TextChoices):
    ACCOUNT = "account", "Signs in with an account"
    IDENTIFIED = "identified", "Identified by a signed token"
    ANONYMOUS = "anonymous", "Anonymous visitor"


class EndUser(TenantModel):
    """A person known to a tenant, or an anonymous visitor's device."""

    subject = models.CharField(max_length=200, help_text="Who the tenant, or the device token, says this is.")
    kind = models.CharField(max_length=10, choices=EndUserKind.choices)
    user = models.ForeignKey(User, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=120, blank=True)
    claims_at = models.DateTimeField(
        null=True, editable=False, help_text="When the newest identity that was seen of them was signed."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "subject"], name="end_user_subject_once_per_tenant"),
            models.UniqueConstraint(fields=["tenant", "user"], name="end_user_account_once_per_tenant"),
        ]

    def __str__(self) -> str:
        return self.name or self.subject


class EndUserAudience(TenantModel):
    """An end user belongs to an audience."""

    end_user = models.ForeignKey(EndUser, on_delete=models.CASCADE, related_name="+")
    audience = models.ForeignKey(Audience, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "end_user", "audience"], name="end_user_once_per_audience"
            )
        ]
