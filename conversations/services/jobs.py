"""Who works at a job, for how long, and how it ends. A worker that dies leaves a lease that runs out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Q, QuerySet

from conversations.evaluation.jobs import UNFINISHED, Job, JobState
from kernel.clock import now
from kernel.errors import DomainError

J = TypeVar("J", bound=Job)

LEASE = timedelta(minutes=3)
TRIES = 3
BROKE_OFF = "It broke off several times. The worker's log says more."


def job_serve(
    model: type[J], work: Callable[[J, UUID], None], end: Callable[[J, JobState, str], object]
) -> float | None:
    """Have `work` do a piece of the next job under a token. Says whether more wait, as `FairWork` wants it.

    `end` ends a job that has broken off too often. What `work` raises before that is raised again.
    """
    token = uuid4()
    job = job_take(model, token, end)
    if job is not None:
        try:
            work(job, token)
        except Exception:
            job_broke_off(job, end)
            raise
        finally:
            job_let_go(job, token)
    return 0 if jobs_waiting(model).exists() else None


def jobs_waiting(model: type[J]) -> QuerySet[J]:
    """Those that are not finished and that no worker is at, the oldest first."""
    free = Q(lease_until=None) | Q(lease_until__lt=now())
    found: QuerySet[J] = model.objects.filter(free, state__in=UNFINISHED).order_by("created_at", "id")
    return found


@transaction.atomic
def job_take(model: type[J], token: UUID, end: Callable[[J, JobState, str], object]) -> J | None:
    """The next job, leased. One whose worker died several times is given up."""
    job = jobs_waiting(model).select_for_update(skip_locked=True).first()
    if job is None:
        return None
    job.tries += job.lease_token is not None
    if job.tries >= TRIES:
        end(job, JobState.FAILED, BROKE_OFF)
        return None
    job.state, job.lease_token, job.lease_until = JobState.RUNNING, token, now() + LEASE
    job.started_at = job.started_at or now()
    job.save(update_fields=["state", "lease_token", "lease_until", "tries", "started_at"])
    return job


def job_broke_off(job: J, end: Callable[[J, JobState, str], object]) -> None:
    """Count it, and end the job where it has happened too often."""
    job.tries += 1
    _rows(job).update(tries=job.tries)
    if job.tries >= TRIES:
        end(job, JobState.FAILED, BROKE_OFF)


def job_renew(job: Job, token: UUID) -> bool:
    """Whether the worker is still wanted: neither cancelled nor taken over."""
    mine = _rows(job).filter(lease_token=token, state=JobState.RUNNING)
    return bool(mine.update(lease_until=now() + LEASE))


def job_let_go(job: Job, token: UUID) -> None:
    _rows(job).filter(lease_token=token).update(lease_token=None, lease_until=None)


def job_end(job: Job, state: JobState, reason: str = "", **more: Any) -> bool:
    """End it, with `more` columns. False where it had ended already: it stays as it is."""
    ended = {"state": state, "reason": reason[:300], "lease_token": None, "lease_until": None}
    return bool(_rows(job).filter(state__in=UNFINISHED).update(**ended, finished_at=now(), **more))


def job_cancel(job: Job, over: type[DomainError]) -> None:
    """End it where it is; what it has found stays. Raises `over` when it has ended."""
    if not job_end(job, JobState.CANCELLED):
        raise over(state=state_told(job))


def state_told(job: Job) -> str:
    return job.get_state_display().lower()


def _rows(job: Job) -> QuerySet[Any]:
    rows: QuerySet[Any] = type(job).objects.filter(pk=job.pk)
    return rows
