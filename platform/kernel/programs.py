"""How the platform's own processes are called, and whether one answers: for the image and for `up` alike."""

from __future__ import annotations

import http.client
from collections.abc import Sequence
from pathlib import Path

# Celery's advice against root concerns pickled messages, which are refused here.
ROOT_WARNING = "ignore:You're running the worker with superuser"
_CELERY = ("-m", "celery", "-q", "-A", "config.celery")
_TASKS_PER_CHILD = 200  # a fresh process now and then gives back what converters leaked


def web(host: str, port: int, *, grace_seconds: int, options: Sequence[str] = ()) -> tuple[str, ...]:
    """Python's arguments for HTTP and WebSockets; told to end, it has `grace_seconds` for open requests."""
    return (
        *("-m", "uvicorn", "config.asgi:application", "--host", host, "--port", str(port)),
        *("--no-access-log", "--log-level", "warning", "--ws", "websockets-sansio"),
        *("--ws-max-size", "524288", "--http", "config.serving:Impatient"),
        *("--timeout-graceful-shutdown", str(grace_seconds), *options),
    )


def worker(processes: int) -> tuple[str, ...]:
    """Python's arguments for background work from every queue that the configuration declares."""
    options = f"--pool prefork -c {processes} --max-tasks-per-child {_TASKS_PER_CHILD}"
    return (*_CELERY, "worker", "-l", "info", *options.split(), "--without-gossip", "--without-mingle")


def beat(schedule: Path) -> tuple[str, ...]:
    """Python's arguments for the clock that queues periodic work; it keeps its times in the file `schedule`."""
    return (*_CELERY, "beat", "-l", "info", "-s", str(schedule), "--pidfile=")


def answers(host: str, port: int, path: str) -> bool:
    """Whether a page says 200 within five seconds."""
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
