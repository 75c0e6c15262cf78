"""The platform's own processes: what `manage.py up` runs beside the two servers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from embedded.process import Launch
from embedded.service import Service
from embedded.state import PROJECT_ROOT, make_dir
from kernel import programs


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
        super().__init__("web", programs.web(host, port, grace_seconds=5), addresses)
        self._host, self._port = reachable_host(host), port

    def is_ready(self) -> bool:
        return programs.answers(self._host, self._port, "/healthz")


def worker(addresses: Callable[[], Mapping[str, str]]) -> PythonProgram:
    """The process that does background work; it consumes every queue that the configuration declares."""
    return PythonProgram("worker", programs.worker(2), addresses)


def beat(state_dir: Path, addresses: Callable[[], Mapping[str, str]]) -> PythonProgram:
    """The process that queues periodic work."""
    schedule = make_dir(state_dir / "beat") / "schedule"
    return PythonProgram("beat", programs.beat(schedule), addresses)


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
        "PYTHONWARNINGS": ",".join(filter(None, (os.environ.get("PYTHONWARNINGS"), programs.ROOT_WARNING))),
    }


def reachable_host(host: str) -> str:
    """Where a client on this machine finds a server that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104
