"""Background work of conversations."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any
from uuid import UUID

from celery import shared_task

from conversations import wiring
from conversations.adapters.summary_model import ModelSummary
from conversations.adapters.summary_offline import OfflineSummary
from conversations.audits.nightly import day_check
from conversations.evaluation.floor import floor
from conversations.evaluation.what_if_stage import stage
from conversations.selectors import sessions_abandoned, sessions_to_remember
from conversations.selectors.in_force import in_force
from conversations.selectors.retention import tenants_that_delete
from conversations.services.answering import answer_session
from conversations.services.evaluation_runs import WORK as EVALUATIONS
from conversations.services.evaluation_work import evaluation_serve, evaluation_waits
from conversations.services.memory import Summarizer, memory_update
from conversations.services.retention import sessions_purge
from conversations.services.what_if import WORK as WHAT_IF
from conversations.services.what_if_work import what_if_serve, what_if_waits
from kernel.clock import now
from kernel.log_ids import logged_as
from tenants.scoping import current_tenant_id, tenant_scope
from tenants.selectors import active_tenant_ids
from tenants.services.fairness import FairWork
from tenants.tasks import TenantTask, wake_later

RETRIES: dict[str, Any] = {
    "autoretry_for": (Exception,),
    "max_retries": 5,
    "retry_backoff": 2,
    "retry_backoff_max": 300,
}


def remember_later(session_id: UUID) -> None:
    """What a door hands to an answer: queue the memory work of the session, inside the tenant's scope."""
    session_remember.delay(str(current_tenant_id()), str(session_id))


@shared_task(base=TenantTask)
def session_answer(tenant_id: str, session_id: str) -> None:
    """Answer what waits in a session whose process has died."""
    answering = answer_session(UUID(session_id), ports_for=wiring.ports_for, after_turn=remember_later)
    wiring.run_apart(answering)


@shared_task
def turns_sweep() -> None:
    """Find turns that nobody answers any more and have them answered."""
    for tenant_id in active_tenant_ids():
        with tenant_scope(tenant_id):
            abandoned = sessions_abandoned()
        for session_id in abandoned:
            session_answer.delay(str(tenant_id), str(session_id))


@shared_task(base=TenantTask, **RETRIES)
def session_remember(tenant_id: str, session_id: str) -> None:
    """Bring the session's summary and ledger up to date. Running it twice harms nothing."""
    session, language = UUID(session_id), wiring.language()
    with logged_as(session=session):
        wiring.run_apart(
            memory_update(session_id=session, language=language, summarizer=_summarizer(session))
        )


def _summarizer(session_id: UUID) -> Summarizer:
    model, analyse = wiring.chat_model(), wiring.language().analyse
    if model is None:
        return OfflineSummary(analyse)
    return ModelSummary(model, analyse, in_force(session_id).prompts.summarize)


@shared_task
def memory_sweep() -> None:
    """Queue the memory work that a dead process or a lost message left behind."""
    for tenant_id in active_tenant_ids():
        with tenant_scope(tenant_id):
            lagging = sessions_to_remember()
        for session_id in lagging:
            session_remember.delay(str(tenant_id), str(session_id))


@shared_task(base=TenantTask, **RETRIES)
def tenant_purge(tenant_id: str) -> None:
    """Delete the conversations that the tenant does not keep any longer. Running it twice harms nothing."""
    wiring.run_apart(sessions_purge(tenant_id=UUID(tenant_id)))


@shared_task
def retention_sweep() -> None:
    for tenant_id in tenants_that_delete():
        tenant_purge.delay(str(tenant_id))


@shared_task(base=TenantTask, **RETRIES)
def tenant_leakage_check(tenant_id: str, day: str) -> None:
    """Look through what a day left in the tenant. Running it twice harms nothing."""
    day_check(day=date.fromisoformat(day), tenant_ids=active_tenant_ids())


@shared_task
def leakage_sweep() -> None:
    """Every night, tenant by tenant: yesterday, in UTC."""
    yesterday = (now() - timedelta(days=1)).date().isoformat()
    for tenant_id in active_tenant_ids():
        tenant_leakage_check.delay(str(tenant_id), yesterday)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def what_if_work(message: str) -> None:
    """Replay stored turns, for whoever is next. Running it twice harms nothing."""
    _what_if.work(message)


_what_if = FairWork(
    WHAT_IF, send=what_if_work.delay, serve=lambda: what_if_serve(stage()), wake_later=wake_later
)


@shared_task
def what_if_sweep() -> None:
    """Go on with replays that killed workers or lost messages left behind."""
    _what_if.sweep(what_if_waits)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def evaluation_work(message: str) -> None:
    """Run items of evaluations, for whoever is next. Running it twice harms nothing."""
    _evaluations.work(message)


_evaluations = FairWork(
    EVALUATIONS,
    send=evaluation_work.delay,
    serve=lambda: evaluation_serve(floor()),
    wake_later=wake_later,
)


@shared_task
def evaluation_sweep() -> None:
    """Go on with evaluations that killed workers or lost messages left behind."""
    _evaluations.sweep(evaluation_waits)
