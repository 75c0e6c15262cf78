"""A worker's loop says that it turns, so that whoever runs it can tell a stuck process from a quiet one."""

from __future__ import annotations

from typing import Any

from celery.signals import heartbeat_sent

from config.alive import pulse


@heartbeat_sent.connect
def worker_turns(**_: Any) -> None:
    """From the worker's main loop, every two seconds while it is connected to its queue."""
    pulse("worker")
