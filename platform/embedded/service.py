"""What the supervisor and the callers know of anything that runs: how to launch it and when it is ready."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from embedded.errors import ServerFailed
from embedded.process import Launch, how_it_ended, signal_group, spawn
from embedded.state import make_dir

_POLL_SECONDS = 0.02


class Service:
    """Something that is launched, becomes ready, and is stopped with a signal.

    A subclass gives `prepare`; the supervisor calls it before every launch, `is_ready` until it is true, then
    `settle` once. All three may block; none is called concurrently with another.
    """

    name: str
    stop_signals: tuple[signal.Signals, ...] = (signal.SIGTERM,)
    stop_seconds: float = 10.0  # what each stop signal is given before the next, and at last SIGKILL
    ready_seconds: float = 60.0
    answers: bool = False  # whether `is_ready` really asks it
    runs_once: bool = False  # a task: being ready means having ended well

    def prepare(self) -> Launch:
        raise NotImplementedError

    def is_ready(self) -> bool:
        return True

    def settle(self) -> None:
        """What is still to do once the process answers."""

    def tidy(self, line: str) -> str:
        """One line of its output as a reader wants it."""
        return line


class Server(Service):
    """A service that can also be run without a supervisor, by whoever needs it for a while."""

    answers = True

    def __init__(self, state_dir: Path) -> None:
        self.state_dir = state_dir.resolve()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log_file(self) -> Path:
        return self.state_dir / "log" / f"{self.name}.log"

    def start(self) -> None:
        """Start the server and wait until it serves. Raises ServerFailed."""
        try:
            launch = self.prepare()
            make_dir(self.log_file.parent)
            with open(self.log_file, "ab") as log:
                self._process = process = spawn(launch, log.fileno())
            wait_until(self.is_ready, process, self.ready_seconds)
            self.settle()
        except (OSError, TimeoutError, subprocess.SubprocessError) as error:
            self.stop()
            raise ServerFailed(name=self.name, reason=reason_of(error), log=self.log_file) from error

    def stop(self) -> None:
        """Stop the server that `start` started; kill it if it takes too long."""
        if self._process:
            stop_process(self._process, self.stop_signals, self.stop_seconds)
            self._process = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None


def wait_until(is_ready: Callable[[], bool], process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait for readiness. Raises TimeoutError, or ChildProcessError as soon as the process has ended."""
    deadline = time.monotonic() + seconds
    while not is_ready():
        if (code := process.poll()) is not None:
            raise ChildProcessError(f"it {how_it_ended(code)}")
        if time.monotonic() > deadline:
            raise TimeoutError(f"it was not ready after {seconds:.0f} s")
        time.sleep(_POLL_SECONDS)


def stop_process(process: subprocess.Popen[bytes], stops: tuple[signal.Signals, ...], seconds: float) -> None:
    """Ask a process to end, more firmly each time, and at last kill its group."""
    for number in stops:
        if process.poll() is None:
            process.send_signal(number)
        try:
            process.wait(seconds)
            break
        except subprocess.TimeoutExpired:
            continue
    signal_group(process.pid, signal.SIGKILL)
    process.wait()


def reason_of(error: Exception) -> str:
    """An exception in one line; what a failed command wrote says more than its exit code."""
    if isinstance(error, subprocess.CalledProcessError):
        written = error.stderr or error.stdout or ""
        return " ".join(str(written).split()) or str(error)
    return str(error)
