"""How background work knows for whom it works."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from celery import Task

from tenants.scoping import tenant_scope


class TenantTask(Task):  # type: ignore[type-arg]
    """A task whose first argument is the tenant's id: it runs inside that tenant's scope."""

    abstract = True
    acks_late = True
    reject_on_worker_lost = True

    def __call__(self, tenant_id: str, *args: Any, **kwargs: Any) -> Any:
        with tenant_scope(UUID(tenant_id)):
            return super().__call__(tenant_id, *args, **kwargs)
