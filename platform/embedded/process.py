"""Starting and ending the operating system's processes.

A child runs in a session of its own, so that Ctrl-C reaches the supervisor alone and a stop can take the child's
own children along. It gets a signal from the kernel when the process that started it dies, whatever killed that.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import psutil

_PR_SET_PDEATHSIG = 1
# Every supervised process carries it, and so do the processes that it starts: whoever carries it without a live
# supervisor is an orphan.
MARK = "ANTECEDENT_SUPERVISED_BY"


@dataclass(frozen=True)
class ServiceUser:
    """The user a server runs as."""

    name: str
    uid: int
    gid: int

    @classmethod
    def of(cls, uid: int) -> ServiceUser:
        entry = pwd.getpwuid(uid)
        return cls(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)


@dataclass(frozen=True)
class Launch:
    """How to start one process: `env` is its whole environment; without a user it runs as the caller."""

    command: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    user: ServiceUser | None = None
    death_signal: signal.Signals = signal.SIGTERM


def bare_environment() -> dict[str, str]:
    """What a server needs of the caller's environment: nothing that holds keys or changes what it does."""
    return {name: os.environ[name] for name in ("PATH", "TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}


def spawn(launch: Launch, output: int) -> subprocess.Popen[bytes]:
    """Start a process whose output goes to the descriptor `output`. Raises OSError when it cannot be started."""
    return subprocess.Popen(launch.command, **popen_arguments(launch, output))


def popen_arguments(launch: Launch, output: int) -> dict[str, Any]:
    """What `subprocess` and asyncio must be told to start a process in the way described above."""
    return {
        "cwd": launch.cwd,
        "env": dict(launch.env),
        "stdin": subprocess.DEVNULL,
        "stdout": output,
        "stderr": subprocess.STDOUT,
        "start_new_session": True,
        "preexec_fn": dies_with_parent(launch.death_signal),
        **as_user(launch.user),
    }


class UserArguments(TypedDict, total=False):
    """The arguments of `subprocess` that choose the user."""

    user: int
    group: int
    extra_groups: list[int]


def as_user(user: ServiceUser | None) -> UserArguments:
    """What starts a process as `user`."""
    if user is None or user.uid == os.geteuid():
        return {}
    return {"user": user.uid, "group": user.gid, "extra_groups": [user.gid]}


def dies_with_parent(death_signal: signal.Signals) -> Callable[[], None] | None:
    """A function for the child, between fork and exec, that asks the kernel to signal it when we die.

    None where that cannot be had: outside Linux, and outside the main thread, because the kernel watches the
    thread that started the child, not the process. `subprocess` calls it after the change of user, which would
    clear the request.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return None
    prctl, parent = ctypes.CDLL(None, use_errno=True).prctl, os.getpid()

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, int(death_signal))
        if os.getppid() != parent:
            os._exit(1)

    return ask


def signal_group(pid: int, number: signal.Signals) -> None:
    """Signal the group that `pid` leads; nothing happens when it is gone."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def how_it_ended(returncode: int) -> str:
    """The end of a process in words."""
    if returncode >= 0:
        return f"ended with exit code {returncode}"
    try:
        return f"was killed ({signal.Signals(-returncode).name})"
    except ValueError:
        return f"was killed (signal {-returncode})"


def running_in(directory: Path, program: str) -> list[psutil.Process]:
    """Processes of that name whose working directory is `directory` (a server's data directory)."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.name() == program and Path(process.cwd()) == directory:
                found.append(process)
    return found


def marked(value: str) -> list[psutil.Process]:
    """Processes that carry MARK=value, without this one and those that it descends from."""
    spared = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.pid not in spared and process.environ().get(MARK) == value:
                found.append(process)
    return found


def end_all(processes: Iterable[psutil.Process], number: signal.Signals, seconds: float) -> None:
    """Ask processes to end, wait, and kill those that did not."""
    processes = list(processes)
    for process in processes:
        with suppress(psutil.Error):
            process.send_signal(number)
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    for process in alive:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(alive, timeout=5)
