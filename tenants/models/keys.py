"""Keys: for programs, for widgets on sites, and for the identities that tenants sign."""

from __future__ import annotations

from django.db import models

from tenants.models.base import TenantModel
from tenants.models.members import User


class Scope(models.TextChoices):
    """What an API key may be used for. `admin` includes the others."""

    READ = "read", "Read documents, conversations and reports"
    INGEST = "ingest", "Upload, change and delete documents"
    CHAT = "chat", "Ask questions on behalf of end users"
    ADMIN = "admin", "Everything an admin may do"


class ApiKey(TenantModel):
    """A program's key. Shown once: only the hash of its secret is kept."""

    name = models.CharField(max_length=80)
    hint = models.CharField(max_length=12, help_text="The last characters, to tell keys apart.")
    secret_hash = models.CharField(max_length=64)
    scopes = models.JSONField(default=list)
    per_minute = models.PositiveIntegerField(
        null=True, blank=True, help_text="Requests a minute, else the default."
    )
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} (…{self.hint})"


class WidgetKey(TenantModel):
    """The public key of a widget on a site: where it may be embedded, and how it looks."""

    name = models.CharField(max_length=80)
    public_key = models.CharField(max_length=64)
    allowed_origins = models.JSONField(default=list, help_text="Origins such as https://shop.example.")
    look = models.JSONField(default=dict, blank=True, help_text="Colours, texts, position, language.")
    identified_only = models.BooleanField(
        default=False, help_text="Refuse visitors without a signed identity?"
    )
    one_time_identities = models.BooleanField(
        default=False, help_text="Accept each signed identity only once? It must then carry a jti."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "public_key"], name="widget_key_once_per_tenant")
        ]

    def __str__(self) -> str:
        return self.name


class Algorithm(models.TextChoices):
    HS256 = "HS256", "HS256 (shared secret)"
    RS256 = "RS256", "RS256 (RSA public key)"
    EDDSA = "EdDSA", "EdDSA (Ed25519 public key)"


class IdentityKey(TenantModel):
    """What checks the identities that the tenant signs. `material` is a sealed secret (HS256) or a public key (PEM)."""

    kid = models.CharField(max_length=80)
    algorithm = models.CharField(max_length=5, choices=Algorithm.choices)
    material = models.TextField()
    expected_aud = models.CharField(
        max_length=200,
        blank=True,
        help_text="What `aud` must hold; empty: the workspace's short name or its id.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(
        null=True, blank=True, help_text="Checks only what was signed before, for a day."
    )
    revoked_at = models.DateTimeField(null=True, blank=True, help_text="Checks nothing any more.")

    class Meta:
        ordering = ["-created_at"]
        constraints = [models.UniqueConstraint(fields=["tenant", "kid"], name="identity_key_once_per_tenant")]

    def __str__(self) -> str:
        return f"{self.kid} ({self.algorithm})"
