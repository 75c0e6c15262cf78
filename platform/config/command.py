"""`antecedent`, the command of the installed product: its processes by name, and everything that manage.py can do."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from config import alive
from config import environment as env

_CELERY = (sys.executable, "-m", "celery", "-q", "-A", "config.celery")
# Celery's advice against root concerns pickled messages, which are refused here.
_WARNINGS = "ignore:You're running the worker with superuser"


def main() -> None:
    """Become the named process, answer for its health, or run a management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    name, *rest = sys.argv[1:] or ["help"]
    if name == "alive":
        sys.exit(alive.main(rest))
    if name in PROCESSES:
        _become(PROCESSES[name]())
    else:
        _manage(sys.argv[1:])


def web() -> Sequence[str]:
    """HTTP and WebSockets. Told to end, it closes sockets with 1012 so that they come back, and finishes requests."""
    return (
        *(sys.executable, "-m", "uvicorn", "config.asgi:application"),
        *("--host", env.text("WEB_HOST", "0.0.0.0")),  # noqa: S104 -- a container's own network
        *("--port", env.text("WEB_PORT", "8000")),
        *("--no-access-log", "--no-server-header", "--log-level", "warning", "--ws", "websockets-sansio"),
        *("--ws-max-size", "524288", "--http", "config.serving:Impatient"),
        *("--timeout-graceful-shutdown", "25"),
    )


def worker() -> Sequence[str]:
    """Background work from every queue. Told to end, it takes nothing new, and hands back what it cannot finish."""
    os.environ.setdefault("REMAP_SIGTERM", "SIGQUIT")
    count = env.text("WORKER_PROCESSES", "2")
    options = f"--pool prefork -c {count} --max-tasks-per-child 200 --without-gossip --without-mingle"
    return (*_CELERY, "worker", "-l", "info", *options.split())


def beat() -> Sequence[str]:
    """The one clock that queues periodic work. Two of them would queue it twice, which is only wasteful."""
    folder = env.STATE_DIR / "beat"
    folder.mkdir(parents=True, exist_ok=True)
    return (*_CELERY, "beat", "-l", "info", "-s", str(folder / "schedule"), "--pidfile=")


PROCESSES = {"web": web, "worker": worker, "beat": beat}


def _become(command: Sequence[str]) -> None:
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, (os.environ.get("PYTHONWARNINGS"), _WARNINGS)))
    os.execv(command[0], [*command])  # noqa: S606 -- signals then reach the process itself, with no shell between


def _manage(arguments: Sequence[str]) -> None:
    from django.core.management import ManagementUtility

    ManagementUtility(["antecedent", *(arguments or ["help"])]).execute()


if __name__ == "__main__":
    main()
