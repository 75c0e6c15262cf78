"""The folder of uploaded files on a small file system of its own, so that it can be filled while people upload."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from types import TracebackType

BLOCK = 64 * 1024


class Disk:
    """In memory, laid over the folder with what is in it. Without the rights to mount it there is none: `is_there`."""

    def __init__(self, folder: Path, megabytes: int = 64) -> None:
        self._folder, self._megabytes = folder, megabytes
        self.is_there = False

    def __enter__(self) -> Disk:
        kept = self._folder.with_name("blobs-before")
        self._folder.mkdir(parents=True, exist_ok=True)
        shutil.copytree(self._folder, kept)
        options = f"size={self._megabytes}m"
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", self._folder], capture_output=True
        )
        self.is_there = made.returncode == 0
        if self.is_there:
            shutil.copytree(kept, self._folder, dirs_exist_ok=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self.is_there:
            subprocess.run(["umount", "--lazy", self._folder], check=True)

    def fill(self) -> None:
        """Until nothing more fits."""
        with suppress(OSError), self._filler.open("wb", buffering=0) as file:
            while file.write(bytes(BLOCK)):
                pass

    def free(self) -> None:
        self._filler.unlink(missing_ok=True)

    def half_written(self) -> list[Path]:
        """What an upload left aside that found no room."""
        return [path for path in self._folder.rglob(".upload-*") if path.is_file()]

    @property
    def _filler(self) -> Path:
        return self._folder / "filler"
