"""`antecedent`, the command of the installed product: its processes by name, and everything that manage.py can do."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from config import alive
from config import environment as env
from kernel import programs


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
    host = env.text("WEB_HOST", "0.0.0.0")  # noqa: S104 -- a container's own network
    port = int(env.text("WEB_PORT", "8000"))
    return programs.web(host, port, grace_seconds=25, options=["--no-server-header"])


def worker() -> Sequence[str]:
    """Background work from every queue. Told to end, it takes nothing new, and hands back what it cannot finish."""
    os.environ.setdefault("REMAP_SIGTERM", "SIGQUIT")
    return programs.worker(int(env.text("WORKER_PROCESSES", "2")))


def beat() -> Sequence[str]:
    """The one clock that queues periodic work. Two of them would queue it twice, which is only wasteful."""
    folder = env.STATE_DIR / "beat"
    folder.mkdir(parents=True, exist_ok=True)
    return programs.beat(folder / "schedule")


PROCESSES = {"web": web, "worker": worker, "beat": beat}


def _become(arguments: Sequence[str]) -> None:
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    os.environ["PYTHONWARNINGS"] = ",".join(
        filter(None, (os.environ.get("PYTHONWARNINGS"), programs.ROOT_WARNING))
    )
    # Signals then reach the process itself, with no shell between.
    os.execv(sys.executable, [sys.executable, *arguments])  # noqa: S606


def _manage(arguments: Sequence[str]) -> None:
    from django.core.management import ManagementUtility

    ManagementUtility(["antecedent", *(arguments or ["help"])]).execute()


if __name__ == "__main__":
    main()
