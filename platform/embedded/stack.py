"""The pair of servers that the platform needs, for whoever needs it: tests, commands, a second terminal.

A running stack leaves its addresses in `stack.json` of its state directory. They count only while the process
that wrote them lives.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from embedded.errors import StackInUse
from embedded.postgres import Postgres
from embedded.state import default_state_dir, exclusive, is_owned, read_json, write_json
from embedded.valkey import Valkey

_MEMORY_BYTES = 4 << 30
_THROWAWAY = "antecedent-"
_ABANDONED_SECONDS = 3600


@dataclass(frozen=True)
class Endpoints:
    """Where a stack can be reached. URLs carry their passwords; `web_url` is empty without a web process."""

    database_url: str
    superuser_database_url: str
    valkey_url: str
    web_url: str = ""


def endpoints(state_dir: Path | None = None) -> Endpoints | None:
    """The addresses of the live stack of a state directory (the project's own by default), if there is one."""
    state_dir = state_dir or default_state_dir()
    if not is_owned(state_dir):
        return None
    kept = read_json(_file(state_dir))
    return Endpoints(**{field.name: kept[field.name] for field in fields(Endpoints)}) if kept else None


@contextmanager
def published(state_dir: Path, addresses: Endpoints) -> Iterator[None]:
    """Let others find the stack for as long as it runs."""
    write_json(_file(state_dir), asdict(addresses))
    try:
        yield
    finally:
        _file(state_dir).unlink(missing_ok=True)


@contextmanager
def running_stack(state_dir: Path | None = None, *, wait_seconds: float = 60.0) -> Iterator[Endpoints]:
    """Both servers of a state directory, started here unless another process runs them already.

    Those of another process are left alone at the end. Raises ServerFailed, or StackInUse when another process
    holds the state directory for longer than `wait_seconds` without getting its servers up.
    """
    state_dir = (state_dir or default_state_dir()).resolve()
    deadline = time.monotonic() + wait_seconds
    with ExitStack() as stack:
        while (addresses := endpoints(state_dir)) is None:
            try:
                addresses = stack.enter_context(_started(state_dir))
                break
            except StackInUse:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        yield addresses


@contextmanager
def throwaway_state() -> Iterator[Path]:
    """A state directory for a test run, removed at the end.

    It lies in memory where there is room, since its fsyncs protect nothing, and never in pytest's folders, which
    are closed to the user that a server runs as.
    """
    root = _memory_dir() or Path(tempfile.gettempdir())
    _sweep(root)
    state_dir = Path(tempfile.mkdtemp(prefix=_THROWAWAY, dir=root))
    state_dir.chmod(0o711)
    try:
        yield state_dir
    finally:
        shutil.rmtree(state_dir, ignore_errors=True)


def _memory_dir() -> Path | None:
    memory = Path("/dev/shm")  # noqa: S108 -- mkdtemp makes a private folder in it
    try:
        room = os.statvfs(memory)
    except OSError:
        return None
    fits = room.f_bavail * room.f_frsize >= _MEMORY_BYTES and not room.f_flag & os.ST_NOEXEC
    return memory if fits and os.access(memory, os.W_OK) else None


def _sweep(root: Path) -> None:
    # A test run that was killed could not remove its own, which may lie in memory.
    for lock in root.glob(f"{_THROWAWAY}*/lock"):
        with suppress(OSError):
            if time.time() - lock.stat().st_mtime > _ABANDONED_SECONDS and not is_owned(lock.parent):
                shutil.rmtree(lock.parent, ignore_errors=True)


def cache_dir(state_dir: Path) -> Path:
    """Where initialized clusters are kept for copying: the project's, if this user can use it."""
    shared = default_state_dir() / "cache"
    above = next(folder for folder in (shared, *shared.parents) if folder.exists())
    own = os.geteuid() in (0, above.stat().st_uid)
    return shared if own and os.access(above, os.W_OK | os.X_OK) else state_dir / "cache"


@contextmanager
def _started(state_dir: Path) -> Iterator[Endpoints]:
    with ExitStack() as stack:
        stack.enter_context(exclusive(state_dir))
        postgres = Postgres(state_dir, cache_dir=cache_dir(state_dir))
        valkey = Valkey(state_dir)
        for server in (postgres, valkey):
            stack.callback(server.stop)
            server.start()
        addresses = Endpoints(postgres.dsn, postgres.superuser_dsn, valkey.url)
        stack.enter_context(published(state_dir, addresses))
        yield addresses


def _file(state_dir: Path) -> Path:
    return state_dir / "stack.json"
