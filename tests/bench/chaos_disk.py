"""The folder of uploaded files on a small file system of its own, so that it can be filled and slowed while people upload.

The file system lies in a file that is mounted through a loop device, or in memory where that cannot be done; one in
memory can be filled and not slowed.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).parents[2]
BLOCK = 64 * 1024


class Disk:
    """Laid over the folder with what is in it. `faults` says what can be done to it: nothing without the right to mount."""

    def __init__(self, folder: Path, megabytes: int = 64) -> None:
        self._folder, self._megabytes = folder, megabytes
        self._scratch = Path(tempfile.mkdtemp(prefix="antecedent-disk-"))
        self._slowing: subprocess.Popen[bytes] | None = None
        self.faults: tuple[str, ...] = ()

    def __enter__(self) -> Disk:
        kept = self._scratch / "before"
        self._folder.mkdir(parents=True, exist_ok=True)
        shutil.copytree(self._folder, kept)
        if self._in_a_file():
            self.faults = ("full", "slow")
        elif _done("mount", "-t", "tmpfs", "-o", f"size={self._megabytes}m", "tmpfs", self._folder):
            self.faults = ("full",)
        if self.faults:
            shutil.copytree(kept, self._folder, dirs_exist_ok=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.speed_up()
        if self.faults:
            subprocess.run(["umount", "--lazy", self._folder], check=True)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _in_a_file(self) -> bool:
        image = self._scratch / "image"
        with image.open("wb") as file:
            file.truncate(self._megabytes << 20)
        return _done("mkfs.ext4", "-q", "-F", "-m", "0", image) and _done(
            "mount", "-o", "loop", image, self._folder
        )

    def fill(self) -> None:
        """Until nothing more fits."""
        with suppress(OSError), self._filler.open("wb", buffering=0) as file:
            while file.write(bytes(BLOCK)):
                pass

    def free(self) -> None:
        self._filler.unlink(missing_ok=True)

    def slow_down(self) -> None:
        """From now on every write waits most of the time, until `speed_up`."""
        command = [sys.executable, "-m", "tests.bench.slow_disk", str(self._folder)]
        self._slowing = subprocess.Popen(command, cwd=ROOT)

    def speed_up(self) -> None:
        if self._slowing is not None:
            self._slowing.terminate()
            if self._slowing.wait() not in (0, -signal.SIGTERM):
                raise RuntimeError("the disk could not be slowed")
            self._slowing = None

    def half_written(self) -> list[Path]:
        """What an upload left aside that found no room."""
        return [path for path in self._folder.rglob(".upload-*") if path.is_file()]

    @property
    def _filler(self) -> Path:
        return self._folder / "filler"


def _done(*command: str | Path) -> bool:
    """Whether a command is there and ended well."""
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False
