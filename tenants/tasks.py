"""How background work knows for whom it works, and the work that every tenant has: usage, webhooks, archives, erasures."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from celery import Task, shared_task

from kernel.log_ids import logged_as
from tenants.acting import SYSTEM, acting_as
from tenants.scoping import tenant_scope
from tenants.selectors import active_tenant_ids
from tenants.selectors.webhooks import deliveries_due
from tenants.services.data import data_serve, data_waits
from tenants.services.deliveries import deliveries_forget, deliveries_serve
from tenants.services.erasing import WORK as DATA
from tenants.services.erasing import tenant_erase, tenant_erasures_waiting
from tenants.services.exports import exports_expire
from tenants.services.fairness import FairWork, wake
from tenants.services.support import support_visits_expire
from tenants.services.usage import usage_flush
from tenants.services.webhooks import WORK as WEBHOOKS


class TenantTask(Task):  # type: ignore[type-arg]
    """A task whose first argument is the tenant's id: it runs inside that tenant's scope."""

    abstract = True
    acks_late = True
    reject_on_worker_lost = True

    def __call__(self, tenant_id: str, *args: Any, **kwargs: Any) -> Any:
        with tenant_scope(UUID(tenant_id)), acting_as(SYSTEM), logged_as(task=self.request.id):
            return super().__call__(tenant_id, *args, **kwargs)


@shared_task
def line_join(name: str, tenant_id: str) -> None:
    """There is work for the tenant again."""
    wake(name, UUID(tenant_id))


def wake_later(name: str, tenant_id: UUID, seconds: float) -> None:
    """What `FairWork` is handed: `wake` after a while."""
    line_join.apply_async((name, str(tenant_id)), countdown=seconds)


@shared_task
def usage_sweep() -> None:
    """Write down what was counted, tenant by tenant."""
    for tenant_id in active_tenant_ids():
        with tenant_scope(tenant_id):
            usage_flush()


@shared_task
def webhooks_work(message: str) -> None:
    """Send what webhooks are to be told, for whoever is next. Running it twice harms nothing."""
    _webhooks.work(message)


_webhooks = FairWork(WEBHOOKS, send=webhooks_work.delay, serve=deliveries_serve, wake_later=wake_later)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def data_work(message: str) -> None:
    """Erase people and make archives, for whoever is next. Running it twice harms nothing."""
    _data.work(message)


_data = FairWork(DATA, send=data_work.delay, serve=data_serve, wake_later=wake_later)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def tenant_erase_task(erasure_id: str) -> None:
    """Erase a whole tenant. Running it twice harms nothing."""
    with acting_as(SYSTEM):
        tenant_erase(erasure_id=UUID(erasure_id))


@shared_task
def data_sweep() -> None:
    """Go on with what killed workers or lost messages left behind, and delete archives whose time is over."""
    for erasure_id in tenant_erasures_waiting():
        tenant_erase_task.delay(str(erasure_id))
    _data.sweep(_data_kept_in_order)


def _data_kept_in_order() -> bool:
    exports_expire()
    return data_waits()


@shared_task
def support_sweep() -> None:
    """Put an end to the support visits that are over, and write it into the workspaces' logs."""
    for tenant_id in active_tenant_ids():
        with tenant_scope(tenant_id), acting_as(SYSTEM):
            support_visits_expire()


@shared_task
def webhooks_sweep() -> None:
    """Put tenants with due deliveries in line, and clear the log of old ones."""
    _webhooks.sweep(_deliveries_kept_in_order)


def _deliveries_kept_in_order() -> bool:
    deliveries_forget()
    return deliveries_due().exists()
