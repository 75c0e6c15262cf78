"""What every row of a tenant has in common."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models

from tenants.models.tenant import Tenant
from tenants.scoping import TenantManager, current_tenant_id


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
