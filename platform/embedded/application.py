"""The platform's own processes: what `manage.py up` runs beside the two servers."""

from __future__ import annotations

import http.client
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from embedded.process import Launch
from embedded.service import Service
from embedded.state import PROJECT_ROOT, make_dir

# Celery's advice against root concerns pickled messages, which are refused here.
_ROOT_WARNING = "ignore:You're running the worker with superuser"
_CELERY = ("-m", "celery", "-q", "-A", "config.celery")
_WORKER_TASKS_PER_CHILD = 200  # a fresh process now and then gives back what converters leaked


class PythonProgram(Service):
    """A Python command run at the project's root.

    `addresses` is asked at each launch for the variables that say where the servers are: a port is not known
    before its server has been prepared.
    """

    def __init__(
        self, name: str, arguments: Sequence[str], addresses: Callable[[], Mapping[str, str]]
    ) -> None:
        self.name, self._arguments, self._addresses = name, tuple(arguments), addresses

    def prepare(self) -> Launch:
        return Launch((sys.executable, *self._arguments), PROJECT_ROOT, environment(self._addresses()))


class Task(PythonProgram):
    """A `manage.py` command that runs to its end."""

    runs_once = True

    def __init__(
        self, name: str, arguments: Sequence[str], addresses: Callable[[], Mapping[str, str]]
    ) -> None:
        super().__init__(name, ("manage.py", *arguments), addresses)


class Web(PythonProgram):
    """The web process, ready when /healthz answers."""

    answers = True

    def __init__(self, host: str, port: int, addresses: Callable[[], Mapping[str, str]]) -> None:
        arguments = ["-m", "uvicorn", "config.asgi:application", "--host", host, "--port", str(port)]
        arguments += [
            "--no-access-log",
            "--log-level",
            "warning",
            "--ws",
            "websockets-sansio",
            "--ws-max-size",
            "524288",
            "--http",
            "config.serving:Impatient",
            "--timeout-graceful-shutdown",
            "5",
        ]
        super().__init__("web", arguments, addresses)
        self._host, self._port = reachable_host(host), port

    def is_ready(self) -> bool:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=5)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def worker(addresses: Callable[[], Mapping[str, str]]) -> PythonProgram:
    """The process that does background work; it consumes every queue that the configuration declares."""
    options = f"--pool prefork -c 2 --max-tasks-per-child {_WORKER_TASKS_PER_CHILD} --without-gossip --without-mingle"
    return PythonProgram("worker", (*_CELERY, "worker", "-l", "info", *options.split()), addresses)


def beat(state_dir: Path, addresses: Callable[[], Mapping[str, str]]) -> PythonProgram:
    """The process that queues periodic work."""
    schedule = make_dir(state_dir / "beat") / "schedule"
    arguments = (*_CELERY, "beat", "-l", "info", "-s", str(schedule), "--pidfile=")
    return PythonProgram("beat", arguments, addresses)


def environment(addresses: Mapping[str, str]) -> dict[str, str]:
    """What a child needs: the caller's variables, the servers' addresses, and both roots to import from."""
    roots = [str(PROJECT_ROOT), str(PROJECT_ROOT / "platform")]
    if before := os.environ.get("PYTHONPATH"):
        roots.append(before)
    return {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        **os.environ,
        **addresses,
        "PYTHONPATH": os.pathsep.join(roots),
        "PYTHONUNBUFFERED": "1",
        "PYTHONWARNINGS": ",".join(filter(None, (os.environ.get("PYTHONWARNINGS"), _ROOT_WARNING))),
    }


def reachable_host(host: str) -> str:
    """Where a client on this machine finds a server that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104
