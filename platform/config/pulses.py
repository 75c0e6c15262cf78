"""Celery's own loops say that they turn, so that whoever runs them can tell a stuck process from a quiet one."""

from __future__ import annotations

from typing import Any

from celery.beat import PersistentScheduler
from celery.signals import heartbeat_sent

from config.alive import pulse


@heartbeat_sent.connect
def worker_turns(**_: Any) -> None:
    """From the worker's main loop, every two seconds while it is connected to its queue."""
    pulse("worker")


class PulsingScheduler(PersistentScheduler):
    """The scheduler that keeps its times in a file, and shows that it looks at them."""

    def tick(self, *args: Any, **kwargs: Any) -> float:
        pulse("beat")
        return float(super().tick(*args, **kwargs))
