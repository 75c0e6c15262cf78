"""People who sign in, and their roles in tenants."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models

from tenants.models.base import TenantModel
from tenants.scoping import OwnMembershipsManager


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """A person who signs in with an email address. What they may do in a tenant is their membership's."""

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False, help_text="Platform staff.")
    created_at = models.DateTimeField(auto_now_add=True)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = UserManager()

    def __str__(self) -> str:
        return self.name or self.email


class Role(models.TextChoices):
    OWNER = "owner", "Owner"
    ADMIN = "admin", "Admin"
    EDITOR = "editor", "Editor"
    ANALYST = "analyst", "Analyst"


class Membership(TenantModel):
    """A user with a role in a tenant. Platform staff who came in for support have it `until` then, for a `reason`."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=10, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)
    until = models.DateTimeField(
        null=True, blank=True, help_text="When a support visit ends; empty for members."
    )
    reason = models.CharField(
        max_length=300, blank=True, default="", db_default="", help_text="Why support came in."
    )

    own = OwnMembershipsManager()

    class Meta:
        default_manager_name = "objects"
        constraints = [models.UniqueConstraint(fields=["tenant", "user"], name="membership_once_per_tenant")]

    def __str__(self) -> str:
        return f"{self.user} ({self.get_role_display()})"

    @property
    def is_support(self) -> bool:
        """Whether this is a visit of platform staff rather than a member."""
        return self.until is not None


class Invitation(TenantModel):
    """A link sent by mail that makes its reader a member. Only the hash of its token is kept."""

    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Role.choices)
    token_hash = models.CharField(max_length=64)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "token_hash"], name="invitation_token_once_per_tenant")
        ]


class SignInProvider(TenantModel):
    """The OpenID Connect provider that a tenant's members may sign in with. `client_secret` is sealed."""

    slug = models.SlugField(max_length=40)
    name = models.CharField(max_length=80)
    issuer = models.URLField(max_length=300)
    client_id = models.CharField(max_length=300)
    client_secret = models.TextField(blank=True)
    email_domains = models.JSONField(
        default=list, blank=True, help_text="Whose addresses may join by signing in."
    )
    default_role = models.CharField(max_length=10, choices=Role.choices, default=Role.ANALYST)
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "slug"], name="sign_in_provider_once_per_tenant")
        ]
