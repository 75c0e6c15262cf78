"""Small file systems for what the platform writes, so that each can be filled and slowed by itself while people work.

A file system lies in a file that is mounted through a loop device, or in memory where that cannot be done; one in
memory can be filled and not slowed. They are laid before the platform starts, as volumes of a cluster are: the uploaded
files, PostgreSQL's data, its write-ahead log (a link in the data directory, as `initdb --waldir` makes it) and Valkey's
append-only file.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType

from embedded.postgres import Postgres
from embedded.stack import cache_dir
from tests.bench.chaos_deck import Card

ROOT = Path(__file__).parents[2]
LEAST_BYTES = 4096
UPLOADS, DATA, LOG, VALKEY = "disk of uploads", "disk of PostgreSQL", "disk of its log", "disk of Valkey"
FOLDERS = {
    UPLOADS: ("blobs", 64),
    DATA: ("postgres", 512),
    LOG: ("write-ahead", 1536),
    VALKEY: ("valkey", 128),
}
"""Where each lies in the state directory, and its megabytes: the log has room for PostgreSQL's own limit of it."""


class Disk:
    """One file system over an empty folder. `faults` says what can be done to it: nothing without the right to mount."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder, self._megabytes = folder, megabytes
        self._slowing: subprocess.Popen[bytes] | None = None
        self.faults: tuple[str, ...] = ()

    def __enter__(self) -> Disk:
        self._scratch = Path(tempfile.mkdtemp(prefix="antecedent-disk-"))
        self.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        if self._in_a_file():
            self.faults = ("full", "slow")
            (self.folder / "lost+found").rmdir()
        elif _done("mount", "-t", "tmpfs", "-o", f"size={self._megabytes}m", "tmpfs", self.folder):
            self.faults = ("full",)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.speed_up()
        if self.faults:
            subprocess.run(["umount", "--lazy", self.folder], check=True)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _in_a_file(self) -> bool:
        image = self._scratch / "image"
        with image.open("wb") as file:
            file.truncate(self._megabytes << 20)
        return _done("mkfs.ext4", "-q", "-F", "-m", "0", image) and _done(
            "mount", "-o", "loop", image, self.folder
        )

    def fill(self) -> None:
        """Until nothing more fits. Done again, it also takes what was given back meanwhile."""
        step = self._megabytes << 20
        with self._filler.open("ab") as file:
            size = file.tell()
            while step >= LEAST_BYTES:
                try:
                    os.posix_fallocate(file.fileno(), size, step)
                except OSError:
                    step >>= 1
                else:
                    size += step

    def free(self) -> None:
        self._filler.unlink(missing_ok=True)

    def slow_down(self) -> None:
        """From now on every write waits most of the time, until `speed_up`."""
        command = [sys.executable, "-m", "tests.bench.slow_disk", str(self.folder)]
        self._slowing = subprocess.Popen(command, cwd=ROOT)

    def speed_up(self) -> None:
        if self._slowing is not None:
            self._slowing.terminate()
            if self._slowing.wait() not in (0, -signal.SIGTERM):
                raise RuntimeError("the disk could not be slowed")
            self._slowing = None

    @property
    def _filler(self) -> Path:
        return self.folder / "filler"


class Disks:
    """All of them, by their part in the deck; empty until they are laid."""

    def __init__(self) -> None:
        self._by_part: dict[str, Disk] = {}

    def __getitem__(self, part: str) -> Disk:
        return self._by_part[part]

    @contextmanager
    def laid(self, state: Path) -> Iterator[None]:
        """Below a state directory in which nothing has run yet."""
        with ExitStack() as stack:
            for part, (name, megabytes) in FOLDERS.items():
                self._by_part[part] = stack.enter_context(Disk(state / name, megabytes))
            _move_the_log(state, self._by_part[LOG].folder)
            yield

    def cards(self) -> tuple[Card, ...]:
        """What can be done to them."""
        return tuple(Card(part, fault) for part, disk in self._by_part.items() for fault in disk.faults)

    def half_written(self) -> list[Path]:
        """What an upload left aside that found no room."""
        return [path for path in self[UPLOADS].folder.rglob(".upload-*") if path.is_file()]


def _move_the_log(state: Path, folder: Path) -> None:
    """Before its first start, the cluster's write-ahead log goes to a disk of its own."""
    server = Postgres(state, cache_dir=cache_dir(state))
    server.prepare()
    link = server.data_dir / "pg_wal"
    moved = folder / "pg_wal"
    shutil.move(link, moved)
    link.symlink_to(moved)
    if owner := server.cluster.user:
        for path in (link, folder, moved, *moved.rglob("*")):
            os.chown(path, owner.uid, owner.gid, follow_symlinks=False)


def _done(*command: str | Path) -> bool:
    """Whether a command is there and ended well."""
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False
