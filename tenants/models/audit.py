"""What was changed, by whom: an append-only chain for each tenant."""

from __future__ import annotations

import uuid

from django.db import models

from tenants.models.base import TenantKey, TenantModel
from tenants.scoping import TenantManager


class AuditEntry(TenantModel):
    """One change. `hash` covers the entry and `previous`, the hash before it, so that no entry changes unseen."""

    seq = models.BigIntegerField(help_text="1, 2, 3 … without a gap.")
    at = models.DateTimeField()
    actor = models.CharField(max_length=20, help_text="user, key, staff, system or end_user.")
    actor_id = models.CharField(max_length=64, blank=True)
    actor_label = models.CharField(max_length=200, blank=True)
    action = models.CharField(max_length=60, help_text="Noun and verb, such as key.created.")
    target = models.CharField(max_length=200, blank=True)
    data = models.JSONField(default=dict)
    previous = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["-seq"]
        constraints = [models.UniqueConstraint(fields=["tenant", "seq"], name="audit_seq_once_per_tenant")]


class AuditHead(models.Model):
    """Where a tenant's chain ends, sealed with a key that the database does not hold: a missing tail is found."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = TenantKey()
    seq = models.BigIntegerField(default=0)
    hash = models.CharField(max_length=64, blank=True)
    seal = models.CharField(max_length=64, blank=True)

    objects = TenantManager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant"], name="audit_head_once_per_tenant")]


class TenantSecret(TenantModel):
    """A secret of the tenant, such as the key of its model provider. `value` is sealed."""

    name = models.SlugField(max_length=60)
    value = models.TextField()
    hint = models.CharField(max_length=12, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="secret_once_per_tenant")]
