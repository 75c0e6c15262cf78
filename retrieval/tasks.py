"""Background work on documents."""

from __future__ import annotations

import random
from typing import Any
from uuid import UUID

from celery import shared_task

from kernel.errors import DomainError
from retrieval import services
from tenants.scoping import tenant_scope
from tenants.selectors import active_tenant_ids
from tenants.tasks import TenantTask


@shared_task(base=TenantTask, bind=True, max_retries=6)  # type: ignore[untyped-decorator, unused-ignore]
def document_index_task(self: Any, tenant_id: str, document_id: str, number: int | None = None) -> None:
    """Index a document for a while, then queue what is left behind the others. Running it twice harms nothing."""
    try:
        done = services.document_index_slice(document_id=UUID(document_id), number=number)
    except DomainError as error:
        pause = min(60.0, 2.0**self.request.retries * random.uniform(1, 3))  # noqa: S311
        raise self.retry(exc=error, countdown=pause) from error
    if done.progress is services.Progress.MORE:
        document_index_task.delay(tenant_id, document_id, done.number)


@shared_task  # type: ignore[untyped-decorator, unused-ignore]
def documents_sweep() -> None:
    """Queue again what a dead worker or a lost message left behind, tenant by tenant."""
    for tenant_id in active_tenant_ids():
        with tenant_scope(tenant_id):
            due = services.documents_due()
        for document_id in due:
            document_index_task.delay(str(tenant_id), str(document_id))
