"""Background work of conversations."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from conversations import wiring
from conversations.selectors import sessions_abandoned
from tenants.scoping import tenant_scope
from tenants.selectors import active_tenant_ids
from tenants.tasks import TenantTask


@shared_task(base=TenantTask)
def session_answer(tenant_id: str, session_id: str) -> None:
    """Answer what waits in a session whose process has died."""
    wiring.answer_now(UUID(session_id), ports_for=wiring.ports_for)


@shared_task
def turns_sweep() -> None:
    """Find turns that nobody answers any more and have them answered."""
    for tenant_id in active_tenant_ids():
        with tenant_scope(tenant_id):
            abandoned = sessions_abandoned()
        for session_id in abandoned:
            session_answer.delay(str(tenant_id), str(session_id))
