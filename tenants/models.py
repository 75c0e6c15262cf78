"""Tables of who owns what. Every tenant table also has row-level security and composite references (migrations)."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import Group, PermissionsMixin
from django.db import models

from tenants.scoping import OwnMembershipsManager, TenantManager, current_tenant_id


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
    scope_policy = models.JSONField(default=dict, blank=True)
    retention = models.CharField(max_length=4, choices=Retention.choices, default=Retention.KEEP)
    retention_days = models.PositiveSmallIntegerField(default=90, help_text="Days since the last activity.")
    suspended_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


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


class TenantKey(models.ForeignKey[Tenant, Tenant]):
    """The reference to the owning tenant: the current scope's unless given."""

    def __init__(self, to: Any = Tenant, on_delete: Any = models.CASCADE, **options: Any) -> None:
        options = {"editable": False, "related_name": "+", "default": current_tenant_id, **options}
        super().__init__(to, on_delete, **options)

    def deconstruct(self) -> Any:
        """Migrations see a plain foreign key: the default is Python's and of no concern to the schema."""
        name, _, args, kwargs = super().deconstruct()
        kwargs.pop("default", None)
        return name, "django.db.models.ForeignKey", args, kwargs


class TenantModel(models.Model):
    """A row of one tenant. The tenant is the current scope's unless given."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = TenantKey()

    objects = TenantManager()

    class Meta:
        abstract = True


class Role(models.TextChoices):
    OWNER = "owner", "Owner"
    ADMIN = "admin", "Admin"
    EDITOR = "editor", "Editor"
    ANALYST = "analyst", "Analyst"


class Membership(TenantModel):
    """A user with a role in a tenant."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=10, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)

    own = OwnMembershipsManager()

    class Meta:
        default_manager_name = "objects"
        constraints = [models.UniqueConstraint(fields=["tenant", "user"], name="membership_once_per_tenant")]

    def __str__(self) -> str:
        return f"{self.user} ({self.get_role_display()})"


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
