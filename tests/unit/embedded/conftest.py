import io
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from embedded.child import RestartPolicy
from embedded.console import Console
from embedded.process import Launch
from embedded.service import Service
from embedded.supervisor import Stage, Supervisor

QUICK = RestartPolicy(first_delay=0.01, longest_delay=0.05, quick_seconds=5, quick_limit=4)


class Shell(Service):
    """A shell script under supervision; `$0` is its name, and each launch adds a line to NAME.pids."""

    answers = True

    def __init__(
        self,
        folder: Path,
        name: str,
        script: str,
        *,
        ready: Callable[[], bool] | None = None,
        once: bool = False,
    ) -> None:
        self.name, self.folder, self.runs_once, self._ready = name, folder, once, ready
        self._script = f"echo $$ >> {name}.pids\n{script}"

    def prepare(self) -> Launch:
        return Launch(("/bin/sh", "-c", self._script, self.name), self.folder, dict(os.environ))

    def is_ready(self) -> bool:
        return bool(self.pids) and (self._ready is None or self._ready())

    @property
    def pids(self) -> list[int]:
        file = self.folder / f"{self.name}.pids"
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        os.kill(self.pids[-1], number)


@dataclass
class Group:
    """A supervisor over shell scripts in a folder of its own."""

    folder: Path
    output: io.StringIO = field(default_factory=io.StringIO)

    def shell(self, name: str, script: str, **options) -> Shell:
        return Shell(self.folder, name, script, **options)

    def run(self, *stages: Stage) -> int:
        """Run the stages and stop as soon as all of them are ready."""
        console = Console(self.folder / "all.log", [], self.output)
        last = Stage([], then=lambda: supervisor.stop())
        supervisor = Supervisor([*stages, last], console, mark=str(self.folder), policy=QUICK)
        try:
            return supervisor.run()
        finally:
            console.close()

    @property
    def said(self) -> str:
        return self.output.getvalue()


@pytest.fixture
def group(tmp_path: Path) -> Group:
    return Group(tmp_path)


@pytest.fixture
def is_gone() -> Callable[[int], bool]:
    """Whether a process ends within a few seconds."""

    def gone(pid: int) -> bool:
        try:
            process = psutil.Process(pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return True
            process.wait(5)
        except psutil.NoSuchProcess:
            return True
        except psutil.TimeoutExpired:
            return process.status() == psutil.STATUS_ZOMBIE
        return True

    return gone


@pytest.fixture
def python() -> Callable[[str], list[str]]:
    """The command line of a Python program that can import this project."""

    def command(source: str) -> list[str]:
        return [
            sys.executable,
            "-c",
            f"import sys; sys.path[:0] = {[path for path in sys.path if path]!r}\n{source}",
        ]

    return command
