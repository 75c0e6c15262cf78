"""Background work on documents."""

from __future__ import annotations

import random
from typing import Any
from uuid import UUID

from celery import shared_task

from kernel.errors import DomainError
from retrieval import services
from retrieval.services.waiting import document_serve, documents_wait
from tenants.scoping import tenant_scope
from tenants.selectors import active_tenant_ids
from tenants.services.fairness import FairWork
from tenants.tasks import TenantTask, wake_later


class WaitingTask(TenantTask):
    """Work that waits in the database: sending a message of it only has the tenant stand in line.

    So a thousand uploads are a thousand rows and no thousand messages, and no tenant's are in front of another's.
    """

    abstract = True

    def apply_async(self, args: Any = None, kwargs: Any = None, **options: Any) -> None:  # type: ignore[override]
        """`args` begins with the tenant's id."""
        documents.wake(UUID(args[0]))


@shared_task(base=WaitingTask)
def document_index_task(tenant_id: str, document_id: str, number: int | None = None) -> None:
    """Index a document: `delay` queues it, a call does a piece of it here. Running it twice harms nothing."""
    done = services.document_index_slice(document_id=UUID(document_id), number=number)
    if done.progress is services.Progress.MORE:
        documents.wake(UUID(tenant_id))


@shared_task(acks_late=True, reject_on_worker_lost=True)
def documents_work(message: str) -> None:
    """Index for whoever is next. Running it twice harms nothing."""
    documents.work(message)


documents = FairWork("documents", send=documents_work.delay, serve=document_serve, wake_later=wake_later)


@shared_task(base=TenantTask, bind=True, max_retries=6)  # type: ignore[untyped-decorator, unused-ignore]
def site_import_task(self: Any, tenant_id: str, import_id: str) -> None:
    """Read a sitemap and queue its pages. Running it twice harms nothing."""
    try:
        pages = services.site_import_read(import_id=UUID(import_id))
    except DomainError as error:
        raise self.retry(exc=error, countdown=_pause(self.request.retries)) from error
    if pages:
        documents.wake(UUID(tenant_id))


def _pause(retries: int) -> float:
    return min(60.0, 2.0**retries * random.uniform(1, 3))  # noqa: S311


@shared_task  # type: ignore[untyped-decorator, unused-ignore]
def documents_sweep() -> None:
    """Have every tenant stand in line that has documents waiting, and queue imports again that were left behind."""
    for tenant_id in active_tenant_ids():
        with tenant_scope(tenant_id):
            is_waiting, sites = documents_wait(), services.site_imports_due()
        for import_id in sites:
            site_import_task.delay(str(tenant_id), str(import_id))
        if is_waiting:
            documents.wake(tenant_id)


@shared_task(base=TenantTask, bind=True, max_retries=6)  # type: ignore[untyped-decorator, unused-ignore]
def space_place_task(self: Any, tenant_id: str, space_id: str) -> None:
    """Move a space's vectors to where its size says. Running it twice, or at once, harms nothing."""
    try:
        services.space_place(space_id=UUID(space_id))
    except DomainError as error:
        if error.retryable:
            raise self.retry(exc=error, countdown=30 * (self.request.retries + 1)) from error
        raise


@shared_task(base=TenantTask, bind=True, max_retries=6)  # type: ignore[untyped-decorator, unused-ignore]
def corpus_reembed_task(self: Any, tenant_id: str, corpus_id: str) -> None:
    """Change a corpus's embedding model for a while, then queue what is left behind the others."""
    try:
        more = services.corpus_reembed_slice(corpus_id=UUID(corpus_id))
    except DomainError as error:
        if error.retryable:
            raise self.retry(exc=error, countdown=30 * (self.request.retries + 1)) from error
        raise
    if more:
        corpus_reembed_task.delay(tenant_id, corpus_id)


@shared_task  # type: ignore[untyped-decorator, unused-ignore]
def spaces_sweep() -> None:
    """Start, and go on with, moves between partitions and changes of embedding models, tenant by tenant."""
    for tenant_id in active_tenant_ids():
        with tenant_scope(tenant_id):
            spaces, corpora = services.spaces_due(), services.corpora_to_reembed()
        for space_id in spaces:
            space_place_task.delay(str(tenant_id), str(space_id))
        for corpus_id in corpora:
            corpus_reembed_task.delay(str(tenant_id), str(corpus_id))
