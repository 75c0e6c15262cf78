"""Background work goes on with the trace of whoever queued it: `traceparent` travels in the message's headers."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from celery.signals import (
    before_task_publish,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
)

from kernel.traced import Kind, Span, span, traceparent
from tenants.tasks import TenantTask

HEADER = "traceparent"
SWEEP = "_sweep"
FAILED = frozenset({"FAILURE", "RETRY"})
_running: dict[str, tuple[AbstractContextManager[Span], Span]] = {}


@before_task_publish.connect
def carry(headers: dict[str, Any], **_: Any) -> None:
    if parent := traceparent():
        headers[HEADER] = parent


@task_prerun.connect
def begin(task_id: str, task: Any, args: Any = (), **_: Any) -> None:
    """A sweep that the clock queued is no trace, or there would be little else; what it finds to do is one."""
    carried = getattr(task.request, HEADER, None) or ""
    if not carried and task.name.endswith(SWEEP):
        return
    attributes = {
        "messaging.operation.type": "process",
        "messaging.message.id": task_id,
        "celery.task_name": task.name,
    }
    if isinstance(task, TenantTask) and args:
        attributes["antecedent.tenant"] = str(args[0])
    opened = span(f"task {task.name.rpartition('.')[2]}", Kind.CONSUMED, attributes, carried=carried)
    _running[task_id] = (opened, opened.__enter__())


@task_postrun.connect
def end(task_id: str, state: str | None = None, **_: Any) -> None:
    opened, under_way = _running.pop(task_id, (None, None))
    if opened is not None and under_way is not None:
        if state in FAILED:
            under_way.failed(state)
        opened.__exit__(None, None, None)


@worker_init.connect
def worker_imports(**_: Any) -> None:
    """Once, before the pool forks: each child would take a second for it."""
    from config import telemetry  # noqa: F401


@worker_process_init.connect
def child_is_traced(**_: Any) -> None:
    """In the child, since the thread that sends does not live through a fork."""
    _tracing.append(_install())


@worker_process_shutdown.connect
def child_sends_the_rest(**_: Any) -> None:
    for tracer in _tracing:
        tracer.provider.shutdown()


def _install() -> Any:
    from config import telemetry

    return telemetry.install("worker")


_tracing: list[Any] = []
